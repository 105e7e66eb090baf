"""The served book: what has not changed is not made again, code that has is read anew."""

import re
import sys

MADE = ["content", "toc", "_title_from_render", "present_anchor_ids"]
kept = {}                # (page, what it was made of) -> what was made


def sparing(render, page, *made_of):
    """page.render, that does nothing twice: made_of is all that the outcome depends on."""
    def rendered(config, files):
        known = page.file.dest_uri, made_of
        if known not in kept:
            render(config, files)
            for old in [each for each in kept if each[0] == page.file.dest_uri]:
                del kept[old]
            links = {file.src_uri: anchors for file, anchors in page.links_to_anchors.items()}
            kept[known] = [getattr(page, name) for name in MADE], links
            return
        values, links = kept[known]
        for name, value in zip(MADE, values):
            setattr(page, name, value)
        page.links_to_anchors = {files.get_file_from_path(uri): anchors
                                 for uri, anchors in links.items()}
    return rendered


def sparing_search(index):
    """The theme's search index, that reads no page twice whose text is what it was."""
    read, entries = index.add_entry_from_context, {}

    def add(self, page):
        known = page.url, page.content, str(page.title)
        if known not in entries:
            before = len(self.entries)
            read(self, page)
            for old in [each for each in entries if each[0] == page.url]:
                del entries[old]
            entries[known] = [dict(entry) for entry in self.entries[before:]]
        else:
            self.entries += [dict(entry) for entry in entries[known]]
    index.add_entry_from_context = add


def forget():
    """Drops the modules of tf/ and the figures that use them: they may have been tangled since."""
    for name in list(sys.modules):
        if re.match(r"tf\.|weave\.figures\.(?!draw|fence)", name):
            del sys.modules[name]
