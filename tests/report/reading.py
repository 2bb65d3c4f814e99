"""Pages as a person or a screen reader meets them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list["Element | str"] = field(default_factory=list)

    def all(self, tag):
        """Elements below of that name, in the order of the page."""
        for child in self.children:
            if isinstance(child, Element):
                if child.tag == tag:
                    yield child
                yield from child.all(tag)

    def everything(self):
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.everything()

    @property
    def text(self):
        parts = (c if isinstance(c, str) else f" {c.text} " for c in self.children)
        return "" if self.tag == "style" else " ".join("".join(parts).split())


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("page", {})]

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop().tag == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read(page):
    """The page as a tree; a page whose elements are not closed is refused."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is never closed"
    return reader.open[0]


def words(page):
    """All that is told: texts, and what is said instead of pictures."""
    tree = read(page)
    labels = (e.attributes.get("aria-label") or "" for e in tree.everything())
    return f"{tree.text} {' '.join(labels)}"
