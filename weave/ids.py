"""No id twice in a page: `#softmax` is the code, also in a chapter whose heading is Softmax."""

import re

from markdown import Extension
from markdown.extensions.toc import slugify
from markdown.treeprocessors import Treeprocessor

FENCE_ID = re.compile(r'<div id="([^"]+)"')


class HeadingIds(Treeprocessor):
    """Gives a heading another id where a code block of the page has the one it would get."""

    def run(self, root):
        for heading in root.iter():
            if re.fullmatch("h[1-6]", str(heading.tag)) and not heading.get("id"):
                id = slug(heading)
                if id in fence_ids(self.md):
                    heading.set("id", f"{id}-heading")


class LeadIds(Treeprocessor):
    """Gives a paragraph that begins in bold an id: `**The wrong axis.** ...` is #the-wrong-axis."""

    def run(self, root):
        taken = {""} | fence_ids(self.md) | {element.get("id") for element in root.iter()}
        for paragraph in root.iter("p"):
            lead = paragraph[0] if len(paragraph) and not paragraph.text else None
            if lead is None or lead.tag != "strong" or lead.get("id"):
                continue
            if slug(lead) not in taken:
                paragraph.set("id", slug(lead))
                taken.add(slug(lead))


def slug(element):
    return slugify("".join(element.itertext()), "-")


def fence_ids(md):
    return {id for fence in map(str, md.htmlStash.rawHtmlBlocks) for id in FENCE_ID.findall(fence)}


class Ids(Extension):
    def extendMarkdown(self, md):
        after_attr_list_before_toc, after_toc = 6, 4
        md.treeprocessors.register(HeadingIds(md), "heading-ids", after_attr_list_before_toc)
        md.treeprocessors.register(LeadIds(md), "lead-ids", after_toc)
