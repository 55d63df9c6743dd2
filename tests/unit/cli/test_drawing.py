"""Pictures of stacks: what is in them, and that nothing breaks them."""

from textwrap import dedent
from xml.etree import ElementTree

import pytest

from calor.cli.drawing import Drawing, Node, dot, from_definition, svg, text
from calor.cli.drawing.layout import Box, Layout, Size, layout
from calor.cli.drawing.order import essential, order
from calor.language.diagnostics import Report
from calor.language.request import resolve_request
from calor.types.world import offline_world

SVG = "{http://www.w3.org/2000/svg}"


def drawing(*edges: str, alone: str = "") -> Drawing:
    """`drawing("b>a")`: b needs a."""
    pairs = tuple((edge.split(">")[0], edge.split(">")[1]) for edge in edges)
    names = dict.fromkeys([*alone.split(), *(name for pair in pairs for name in pair)])
    return Drawing(tuple(Node(name, name, "T") for name in sorted(names)), pairs)


DIAMOND = drawing("left>top", "right>top", "bottom>left", "bottom>right", "bottom>top")
CYCLE = drawing("a>b", "b>c", "c>a", "d>a", "e>e")
NESTED = Drawing(
    (
        Node("net", "net", "OS::Neutron::Net"),
        Node(
            "group",
            "group",
            "OS::Heat::ResourceGroup",
            Drawing((Node("group/0", "0", "S"), Node("group/1", "1", "S")), (("group/1", "group/0"),)),
        ),
        Node("after", "after", "S"),
    ),
    (("group", "net"), ("after", "group")),
)
ALL = [Drawing(), drawing(alone="a b c"), DIAMOND, CYCLE, NESTED]


class TestModel:
    TEMPLATE = """
        heat_template_version: 2021-04-16
        resources:
          secret: {type: OS::Heat::RandomString}
          group:
            type: OS::Heat::ResourceGroup
            depends_on: secret
            properties:
              count: 1
              resource_def: {type: OS::Heat::RandomString}
    """

    def test_a_definition_gives_resources_and_what_they_need(self) -> None:
        definition = resolve_request({"template": dedent(self.TEMPLATE)}, offline_world(), Report())
        assert definition is not None
        assert from_definition(definition, nested=False) == Drawing(
            (
                Node("secret", "secret", "OS::Heat::RandomString"),
                Node("group", "group", "OS::Heat::ResourceGroup"),
            ),
            (("group", "secret"),),
        )

    def test_nested_stacks_are_included_when_asked_for(self) -> None:
        definition = resolve_request({"template": dedent(self.TEMPLATE)}, offline_world(), Report())
        assert definition is not None
        ids = [node.id for node in from_definition(definition, nested=True).walk()]
        assert ids == ["secret", "group", "group/0"]


class TestOrder:
    def test_a_rank_is_the_length_of_the_longest_chain_before(self) -> None:
        assert order(DIAMOND).ranks == {"top": 0, "left": 1, "right": 1, "bottom": 2}

    def test_what_follows_from_other_needs_is_not_essential(self) -> None:
        assert essential(order(DIAMOND))["bottom"] == ["left", "right"]

    def test_without_its_back_edges_a_graph_has_no_cycle(self) -> None:
        ordered = order(CYCLE)
        assert ordered.back == (("c", "a"), ("e", "e"))
        assert ordered.ranks == {"c": 0, "b": 1, "a": 2, "d": 3, "e": 0}


class TestText:
    def test_each_resource_stands_below_the_last_one_it_waits_for(self) -> None:
        assert text.render(DIAMOND) == dedent("""\
            top           T
            ├─ left       T
            │  └─ bottom  T  + right
            └─ right      T""")

    def test_a_cycle_is_broken_and_reported(self) -> None:
        assert text.render(CYCLE) == dedent("""\
            c           T  ↺ in a cycle, needs a
            └─ b        T
               └─ a     T
                  └─ d  T
            e           T  ↺ in a cycle, needs e""")

    def test_a_nested_stack_stands_below_its_resource(self) -> None:
        assert text.render(NESTED) == dedent("""\
            net          OS::Neutron::Net
            └─ group     OS::Heat::ResourceGroup
               │ ┊ 0     S
               │ ┊ └─ 1  S
               └─ after  S""")

    def test_a_chain_that_is_too_deep_goes_on_at_the_margin(self) -> None:
        chain = drawing(*(f"n{i:03}>n{i - 1:03}" for i in range(1, 100)))
        lines = text.render(chain).splitlines()
        assert len(lines) == 100
        assert lines[24].endswith("… continued below")
        assert lines[25].split() == ["n025", "T", "+", "n024"]

    def test_a_long_list_of_needs_is_cut(self) -> None:
        many = drawing(*(f"z>n{i}" for i in range(9)))
        assert "└─ z  T  + n1, n2, n3, n4, n5, n6 and 2 more" in text.render(many)

    def test_nothing_to_draw_is_said(self) -> None:
        assert text.render(Drawing()) == "no resources"

    def test_colours_only_when_asked_for(self) -> None:
        assert "\x1b[1mtop\x1b[0m" in text.render(DIAMOND, color=True)
        assert "\x1b" not in text.render(DIAMOND)


class TestDot:
    def test_arrows_lead_to_what_is_needed(self) -> None:
        assert '  "bottom" -> "left"\n' in dot.render(DIAMOND)

    def test_names_and_types_are_quoted(self) -> None:
        odd = dot.render(Drawing((Node('a"\\', 'a"\\', "x\ny"),), ()))
        assert '  "a\\"\\\\" [label="a\\"\\\\\\nx\\ny"]' in odd

    def test_a_nested_stack_is_a_cluster_that_edges_end_at(self) -> None:
        lines = [line.strip() for line in dot.render(NESTED).splitlines()]
        assert 'subgraph "cluster_group" {' in lines
        assert '"group/1" -> "group/0"' in lines
        assert '"after" -> "group" [lhead="cluster_group"]' in lines
        assert '"group" -> "net" [ltail="cluster_group"]' in lines

    def test_edges_that_close_a_cycle_stand_out(self) -> None:
        assert '"c" -> "a" [color="#dc2626", style=dashed, constraint=false]' in dot.render(CYCLE)


class TestSvg:
    @pytest.mark.parametrize("picture", ALL)
    def test_is_well_formed_and_has_every_node(self, picture: Drawing) -> None:
        root = ElementTree.fromstring(svg.render(picture))
        ids = [group.get("id") for group in root.iter(f"{SVG}g") if group.get("id")]
        assert sorted(filter(None, ids)) == sorted(node.id for node in picture.walk())

    def test_texts_are_escaped(self) -> None:
        root = ElementTree.fromstring(svg.render(Drawing((Node("<&>'\"", "<&>'\"\x00", "]]>"),)), 'a<b"'))
        assert [one.text for one in root.iter(f"{SVG}text")][:2] == ["<&>'\"␀", "]]>"]

    def test_a_cycle_is_drawn_with_its_back_edges_marked(self) -> None:
        root = ElementTree.fromstring(svg.render(CYCLE))
        assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "cycle"]) == 2

    def test_long_texts_are_cut_but_can_be_read_in_the_tooltip(self) -> None:
        picture = svg.render(Drawing((Node("n" * 100, "n" * 100),)))
        assert f"<title>{'n' * 100}</title>" in picture
        assert f">{'n' * 43}…</text>" in picture


class TestLayout:
    @pytest.mark.parametrize(
        "picture", [*ALL, drawing(*(f"n{i}>n{i // 3}" for i in range(1, 60)), alone="x y z")]
    )
    def test_boxes_do_not_overlap_and_lie_within_the_picture(self, picture: Drawing) -> None:
        self.check(layout(picture, lambda node: Size(100.0, 40.0)))

    def check(self, placed: Layout) -> None:
        for index, box in enumerate(placed.boxes):
            assert box.x >= 0
            assert box.y >= 0
            assert box.x + box.width <= placed.size.width + 0.01
            assert box.y + box.height <= placed.size.height + 0.01
            assert not any(overlap(box, other) for other in placed.boxes[index + 1 :])
            if box.inside:
                self.check(box.inside)

    def test_what_is_needed_stands_further_left(self) -> None:
        boxes = {box.node.id: box for box in layout(DIAMOND, lambda node: Size(100.0, 40.0)).boxes}
        assert boxes["top"].x < boxes["left"].x == boxes["right"].x < boxes["bottom"].x

    def test_edges_across_columns_share_their_way(self) -> None:
        star = drawing("b>a", "c>b", "d>c", "d>x", "e>c", "e>x", "f>a")
        (trunk,) = (
            one for one in layout(star, lambda node: Size(100.0, 40.0)).trunks if one.needed.id == "x"
        )
        assert len(trunk.segments) == 4, "two lanes for both, then one way to each"


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def test_thousands_of_resources_can_be_drawn() -> None:
    """Chains, fans and a big cycle at once; neither the depth nor the number is a problem."""
    size = 2000
    edges = [f"n{i}>n{i - 1}" for i in range(1, size)] + [f"m{i}>n{i % 7}" for i in range(size)]
    picture = drawing(*edges, f"n0>n{size - 1}")
    for render in (dot.render, svg.render, text.render):
        assert "m1999" in render(picture)
