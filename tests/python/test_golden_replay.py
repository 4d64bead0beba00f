"""The replay itself: it must see a wrong value, size, stride, gradient or error, and say where."""

import struct

import pytest
from golden import evaluate, replay, store, values
from golden.cases.training import digits_network
from golden.programs import digest


def floats(*numbers):
    return "float32", [len(numbers)], struct.pack(f"<{len(numbers)}f", *numbers)


NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize(
    "expected, actual, found",
    [
        (floats(1, 2), floats(1, 2), None),
        (floats(1, 2), floats(1, 2.00001), None),
        (floats(1, 2), floats(1, 2.001), r"element [1] is 2.00"),
        (floats(NAN), floats(NAN), None),
        (floats(NAN), floats(0), "element [0] is 0.0, expected nan"),
        (floats(0), floats(NAN), "element [0] is nan, expected 0.0"),
        (floats(INF), floats(INF), None),
        (floats(INF), floats(-INF), "element [0] is -inf, expected inf"),
        (floats(INF), floats(3e38), "expected inf"),
        (floats(3e38), floats(INF), "element [0] is inf"),
        (floats(0.0), floats(-0.0), "element [0] is -0.0, expected 0.0"),
        (floats(1), floats(1, 2), "size [2], expected [1]"),
        (floats(1), ("float64", [1], struct.pack("<d", 1)), "dtype float64, expected float32"),
        (("int64", [2, 2], struct.pack("<4q", 1, 2, 3, 4)), ("int64", [2, 2], struct.pack("<4q", 1, 2, 0, 4)), "element [1, 0] is 0, expected 3 (1 of 4 differ)"),
        (("bool", [1], b"\1"), ("bool", [1], b"\0"), "element [0] is False, expected True"),
    ],
)  # fmt: skip
def test_differences(expected, actual, found):
    sentence = values.difference(expected, actual, values.TOLERANCES.get(expected[0], 0), signed_zeros=True)
    assert sentence is None if found is None else found in sentence


def test_zero_signs_and_tolerances():
    assert values.difference(floats(0.0), floats(-0.0), 1e-5) is None
    assert values.difference(floats(1.0), floats(1.0000001), 0)
    assert values.relatively_close(1e-3, 1.00001e-3, 1e-4) and not values.relatively_close(1e-3, 1.001e-3, 1e-4)


@pytest.mark.parametrize(
    "dtype, number, data",
    [
        ("float16", 1 + 2**-11, b"\x00\x3c"), ("float16", 1 + 3 * 2**-11, b"\x02\x3c"), ("float16", 65520.0, b"\x00\x7c"), ("float16", 65519.0, b"\xff\x7b"), ("float16", 2**-24, b"\x01\x00"),
        ("bfloat16", 1 + 2**-8, b"\x80\x3f"), ("bfloat16", 1 + 3 * 2**-8, b"\x82\x3f"), ("bfloat16", 3.4e38, b"\x80\x7f"), ("bfloat16", NAN, b"\xc0\x7f"), ("float32", 1e40, b"\x00\x00\x80\x7f"),
        ("float32", 3.4028235677973366e38, b"\x00\x00\x80\x7f"), ("int8", -1, b"\xff"), ("complex64", 1 + 2j, struct.pack("<2f", 1, 2)),
    ],
)  # fmt: skip
def test_packing(dtype, number, data):
    assert values.pack(dtype, [number]) == data


def test_unpacking():
    assert values.unpack("bfloat16", b"\x80\x3f\x00\xc0") == [1.0, -2.0]
    assert values.unpack("float16", b"\x00\x3c") == [1.0]
    assert values.unpack("complex64", struct.pack("<2f", 1, 2)) == [1 + 2j]


def altered(family, op, change):
    """The failures of an operator whose first suitable recorded case was changed."""
    copy = replay.Family(family)
    copy.index["cases"] = copy.cases(op)
    change(copy.index["cases"])
    return copy


def first(cases, has):
    return next(case for case in cases if has in case and "raises" not in case)


def failures_after(lib, family, op, change):
    return "\n".join(altered(family, op, change).check_operator(lib, op))


def test_a_wrong_result_is_seen(lib):
    def change(cases):
        tensor = first(cases, "out")["out"]
        ((kind, entry),) = tensor.items()
        entry[1] += 1

    assert "element [" in failures_after(lib, "pointwise", "torch.exp", change)


def test_a_wrong_gradient_is_seen(lib):
    def change(cases):
        case = first(cases, "grads")
        ((name, tensor),) = case["grads"].items()
        tensor["T"][1] += 1

    assert "gradient of input @" in failures_after(lib, "pointwise", "torch.exp", change)


def test_wrong_strides_are_seen(lib):
    def change(cases):
        case = next(case for case in cases if case.get("strides") and "view_of" in case and "raises" not in case)
        next(iter(case["out"].values()))[3][0] += 1

    assert "strides [" in failures_after(lib, "views", "torch.transpose", change)


def test_a_copy_instead_of_a_view_is_seen(lib):
    def change(cases):
        first(cases, "view_of").pop("view_of")

    assert "the result is a view of" in failures_after(lib, "views", "torch.transpose", change)


def test_a_missing_error_is_seen(lib):
    def change(cases):
        case = first(cases, "out")
        case["raises"] = ["RuntimeError"]

    assert "raised nothing, expected RuntimeError" in failures_after(lib, "pointwise", "torch.exp", change)


def test_a_wrong_error_is_seen(lib):
    def change(cases):
        next(case for case in cases if "raises" in case)["raises"] = ["MemoryError"]

    assert "expected MemoryError" in failures_after(lib, "reductions", "torch.sum", change)


def test_a_wrong_message_is_seen(lib):
    def change(cases):
        next(case for case in cases if "raises" in case)["raises"].append("nobody says this")

    assert "the message lacks ['nobody says this']" in failures_after(lib, "reductions", "torch.sum", change)


def test_a_changed_program_is_seen(lib):
    copy = replay.Family("training")
    copy.index["programs"]["digits_network"]["digest"] = "0"
    assert "changed after it was recorded" in copy.check_program(lib, "digits_network")
    assert replay.Family("training").index["programs"]["digits_network"]["digest"] == digest(digits_network)


def test_calls_are_shown_as_a_person_writes_them():
    inputs = [["float32", 0, 6, [2, 3], [1, 2], 0]]
    case = {
        "op": "torch.sum",
        "args": ["@0g", {"t": [0]}, {"s": [None, 2, None]}],
        "kwargs": {"dtype": "torch.float64", "mode": "=a"},
    }
    text = replay.text_of_case(case, inputs)
    assert (
        text
        == "torch.sum(<float32 [2, 3] strides [1, 2] offset 0 requires_grad>, (0,), slice(None, 2, None), dtype=torch.float64, mode='a')"
    )


def test_recordings_cover_what_was_promised():
    """All families are there, with thousands of calls, in little space."""
    families = set(store.names())
    expected = "autograd conv_pool creation indexing inplace linalg loss modules nn pointwise printing promotion random reductions shape tensors training views"
    assert families >= set(expected.split())
    assert sum(len(replay.Family(name).index["cases"]) for name in families) > 12_000
    assert sum(path.stat().st_size for path in store.FOLDER.iterdir()) < 20_000_000


def test_inputs_have_their_layout(lib):
    storage, tensor = evaluate.build_input(lib, "int32", values.pack("int32", range(8)), [2, 3], [1, 2], 1)
    assert tensor.tolist() == [[1, 3, 5], [2, 4, 6]] and list(tensor.stride()) == [1, 2] and tensor.storage_offset() == 1
    assert storage.data_ptr() + 4 == tensor.data_ptr()
