"""Repairs on the command line: what is made, what is left out, and the command beside a result repeats it."""

import json
import shlex

import pytest

import bnengine as bn
from tests import exports
from tests.commands import answer


def pairs(out):
    return {frozenset((edge["parent"], edge["child"])) for edge in json.loads(out)["edges"]}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [*zip(exports.EXPORTS, (11, 12, 13, 14), strict=True)])
def test_one_command_finds_the_built_in_adjacencies(name, seed, tmp_path, monkeypatch, capsys):
    export = exports.EXPORTS[name](seed)
    monkeypatch.chdir(tmp_path)
    (tmp_path / export.name).write_bytes(export.content)
    given = [export.name, "--discretize", "quantile", "--missing", "own_state", "--format", "json"]
    code, out, err = answer(capsys, "learn", *given, "--repair", "all")
    assert code == 0
    assert export.truth <= pairs(out)
    assert "repairs made in" in err
    code, again, _ = answer(capsys, *shlex.split(json.loads(out)["repeat"])[1:], "--format", "json")
    assert code == 0
    assert pairs(again) == pairs(out)


def test_a_command_leaves_out_what_the_page_leaves_out_and_says_what_is_proposed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    export = exports.survey(13)
    (tmp_path / export.name).write_bytes(export.content)
    code, out, err = answer(capsys, "learn", export.name, "--format", "json")
    frame = bn.read_table(tmp_path / export.name)
    recipe = bn.Recipe("file", export.name).suggested(frame)
    data = json.loads(out)["experiment"]["data"]
    assert code == 0
    assert (data["leave_out"], data["repairs"]) == (list(recipe.leave_out), [])
    assert f"left out {len(recipe.leave_out)} columns: folio, " in err
    still = [one for one in bn.proposals(frame) if one.kind != "leave_out" or one.column not in recipe.leave_out]
    assert f"{len(still)} repairs proposed in all; --repair all makes them" in err
    assert still[0].sentence in err


def test_kinds_single_repairs_and_columns_are_chosen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    export = exports.survey(13)
    (tmp_path / export.name).write_bytes(export.content)
    kept = ["--leave-out", "folio,fecha,ingresos,comentario", "--format", "json"]
    words = ["--repair", "missing", "--repair", "spellings,trabaja,si,sí", "--repair", "none"]
    code, out, _ = answer(capsys, "learn", export.name, *kept, *words)
    assert code == 0
    repairs = json.loads(out)["experiment"]["data"]["repairs"]
    assert {one[0] for one in repairs} == {"missing", "spellings"}
    assert ["spellings", "trabaja", "si", "sí"] in repairs
    code, _, err = answer(capsys, "learn", export.name, "--repair", "paint")
    assert code == 2
    assert "--repair: accept must be all, none, or one of missing" in err
    code, _, err = answer(capsys, "learn", export.name, "--leave-out", "nothing")
    assert code == 1
    assert "no column 'nothing'" in err
