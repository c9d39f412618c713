"""The bundled tables: where they come from, and that each can be used."""

import gzip
import importlib.util

import pytest

import bnengine as bn
from bnengine.graphs.dag import compare_with_truth
from bnengine.networks.bundled import SAMPLE_TABLES, SAMPLES


def loaded(script):
    specification = importlib.util.spec_from_file_location(f"sample_data_{script}", SAMPLES / f"{script}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_made_files_are_the_ones_in_the_folder_byte_for_byte():
    maker = loaded("make")
    made = maker.tables()
    assert {"asia_1000.csv", "alarm_300.csv.gz", "alarm_1000.csv.gz", "titanic.csv", "check_ups_400.csv"} <= set(made)
    for name, (header, rows) in made.items():
        kept = (SAMPLES / name).read_bytes()
        if name.endswith(".gz"):  # the packed bytes depend on the version of zlib, the packed text must not
            assert gzip.decompress(kept) == maker.content(header, rows, packed=False), name
        else:
            assert kept == maker.content(header, rows, packed=False), name


def test_titanic_against_its_published_totals():
    frame = bn.load_sample("titanic")
    assert len(frame) == 2201
    assert frame["Survived"].value_counts().to_dict() == {"No": 1490, "Yes": 711}
    assert frame["Class"].value_counts().to_dict() == {"Crew": 885, "3rd": 706, "1st": 325, "2nd": 285}


def test_the_network_of_the_invented_genes_is_the_one_that_is_learned_and_fitted_again(tmp_path):
    expression = loaded("expression")
    bn.write_bif(expression.network(), tmp_path / "regulon.bif")
    assert (tmp_path / "regulon.bif").read_bytes() == (SAMPLES / "networks" / "regulon.bif").read_bytes()
    network = bn.load_network("regulon")
    assert set(network.states) == {expression.LEVELS}
    assert max(map(len, network.parents)) <= 3
    assert all((table > 0).all() for table in network.tables)


@pytest.mark.parametrize("name", SAMPLE_TABLES)
def test_every_table_becomes_data_under_its_suggested_recipe(name):
    recipe = bn.Recipe("sample", name)
    frame = recipe.load()
    suggested = recipe.suggested(frame)
    data = suggested.prepare(frame)
    assert data.names == tuple(name for name in frame.columns if name != suggested.interventions)
    assert data.n_rows >= 0.9 * len(frame)
    assert data.arities.min() >= 2
    kept = name in ("check_ups_400", "sachs_raw")  # regulon_raw is cut, for the lesson on cut points
    assert bool(data.numbers) == kept
    assert kept or data.arities.max() <= 12
    assert recipe.title


@pytest.mark.parametrize("name", [n for n, sample in SAMPLE_TABLES.items() if sample.network])
def test_simulated_tables_have_the_network_and_its_unseen_states(name):
    network = bn.load_network(SAMPLE_TABLES[name].network)
    data = bn.Dataset.from_frame(bn.load_sample(name))
    assert (data.names, data.states) == (network.names, network.states)
    assert bn.Recipe("sample", name).network == network.title


def test_sources_name_every_file():
    text = (SAMPLES / "SOURCES.md").read_text(encoding="utf-8")
    files = [path for path in SAMPLES.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert len(files) > 20
    missing = [path.name for path in files if path.name not in text and path.name != "SOURCES.md"]
    assert missing == []


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="no sample table is named 'iris'; there are alarm_300, "):
        bn.load_sample("iris")
    with pytest.raises(ValueError, match="source must be one of sample, network, file; got 'web'"):
        bn.Recipe("web")


def test_experiments_of_the_sachs_table_decide_directions():
    """Sachs et al. (2005) report 17 edges; knowing what was set, more of them are directed alike.

    In the table that the authors cut, nine conditions of 600 rows, all 17 are, as the manual's example shows.
    """
    truth = {tuple(name.lower().replace("plcg", "plc") for name in edge) for edge in bn.load_network("sachs").edges}
    frame = bn.load_sample("sachs_discrete")
    # inhibited: low in all rows of the condition
    for one, protein in ((2, "akt"), (3, "pkc"), (4, "pip2"), (5, "mek")):
        assert (frame[protein].iloc[600 * one : 600 * (one + 1)].astype(str) == "1").all()
    cut = bn.Dataset.from_frame(bn.load_sample("sachs_experiments"), interventions="INT")
    as_observed = bn.Dataset(cut.names, cut.states, cut.codes)
    right = [len(truth & set(bn.learn(one, bn.BDeu(1)).edges)) for one in (cut, as_observed)]
    assert right == [13, 10]


def test_the_invented_check_ups_show_their_edges_where_numbers_are_kept():
    frame, truth = bn.load_sample("check_ups_400"), bn.Recipe("sample", "check_ups_400").edges
    numbers = [name for name in frame if frame[name].nunique() > 3]
    data = bn.Dataset.from_frame(frame, numbers=numbers)
    by_numbers, by_cuts = (bn.learn(one) for one in (data, data.cut(3)))
    kept, cut = (compare_with_truth(data.names, one.edges, truth) for one in (by_numbers, by_cuts))
    assert (len(kept.missing), len(kept.extra)) == (1, 0)
    assert len(cut.missing) > 2
