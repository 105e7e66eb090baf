"""The served book: what has not changed is not made again, code that has is read anew."""

import re
import sys

MADE = ["content", "toc", "_title_from_render", "present_anchor_ids"]
kept = {}                # page -> (what it was made of, what was made)


def sparing(render, page, *made_of):
    """page.render, that does nothing twice: made_of is all that the outcome depends on."""
    def rendered(config, files):
        before, made = kept.get(page.file.dest_uri, (None, None))
        if before != made_of:
            render(config, files)
            links = {file.src_uri: anchors for file, anchors in page.links_to_anchors.items()}
            kept[page.file.dest_uri] = made_of, ([getattr(page, name) for name in MADE], links)
            return
        values, links = made
        for name, value in zip(MADE, values):
            setattr(page, name, value)
        page.links_to_anchors = {files.get_file_from_path(uri): anchors
                                 for uri, anchors in links.items()}
    return rendered


def sparing_search(index):
    """The theme's search index, that reads no page twice whose text is what it was."""
    read, entries = index.add_entry_from_context, {}

    def add(self, page):
        made_of, n = (page.content, str(page.title)), len(self.entries)
        before, made = entries.get(page.url, (None, None))
        if before == made_of:
            self.entries += map(dict, made)
        else:
            read(self, page)
            entries[page.url] = made_of, [*map(dict, self.entries[n:])]
    index.add_entry_from_context = add


def forget():
    """Drops the modules of tf/ and the figures that use them: they may have been tangled since."""
    for name in list(sys.modules):
        if re.match(r"tf\.|weave\.figures\.(?!draw|fence)", name):
            del sys.modules[name]
