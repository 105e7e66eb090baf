"""No id twice in a page: `#softmax` is the code, also in a chapter whose heading is Softmax."""

import re

from markdown import Extension
from markdown.extensions.toc import slugify
from markdown.treeprocessors import Treeprocessor

FENCE_ID = re.compile(r'<div id="([^"]+)"')


class HeadingIds(Treeprocessor):
    """Gives a heading another id where a code block of the page has the one it would get."""

    def run(self, root):
        fences = map(str, self.md.htmlStash.rawHtmlBlocks)
        taken = {id for fence in fences for id in FENCE_ID.findall(fence)}
        for heading in root.iter():
            if re.fullmatch("h[1-6]", str(heading.tag)) and not heading.get("id"):
                id = slugify("".join(heading.itertext()), "-")
                if id in taken:
                    heading.set("id", f"{id}-heading")


class Ids(Extension):
    def extendMarkdown(self, md):
        after_attr_list_before_toc = 6
        md.treeprocessors.register(HeadingIds(md), "heading-ids", after_attr_list_before_toc)
