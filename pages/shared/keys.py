"""Keys of the widgets' values in the session."""


def named(kind: str) -> "staticmethod[[str], str]":
    """Return the function from a name to the key of the thing of a kind that has this name."""
    return staticmethod(lambda name: f"{kind} {name}")


class Key:
    """Keys of widgets, charts, notes and downloads."""

    # settings; declared settings have the keys returned by ``setting``
    SCORE, PRIOR_NETWORK, OWN_PRIOR = "score", "bde prior_network", "own_prior"
    SUITED = "suited_score"  # the default score of the table in use; empty while opened settings say it
    SEARCH, ORDERING, ORDERING_TEXT, ROOT = "search", "ordering", "ordering_text", "chow_liu root"
    MAX_PARENTS, DELETE_D = "max_parents", "d"
    REQUIRED, FORBIDDEN, TIERS = "required", "forbidden", "tiers"
    WITH_DATA = "with_data"
    HEAD, SETTINGS = "head", "settings"
    ADDRESS = "run"  # also the name of the address's parameter

    # every page
    GLOSSARY, GLOSSARY_TERMS, GLOSSARY_FIND = "glossary", "glossary_terms", "glossary_find"
    THEME, FOLLOWER = "theme", "theme follower"

    # Data
    PAPER, BACK, OTHER, SAMPLE, UPLOAD = "paper", "back", "other_data", "sample_name", "upload"
    WITHOUT_FILE, HOME_REDRAWS = "without_file", "home_redraws"
    NETWORK, NETWORK_ROWS, NETWORK_SEED = "network_name", "network_rows", "network_seed"
    COLUMNS, MISSING, CUT, BINS, LOOK = "columns", "missing", "cut", "bins", "look"
    SUGGESTED, UNDO, NEXT = "suggested_treatment", "undo_treatment", "next"
    WHERE, STATES, RARE = "where", "states", "rare"
    SET_BY, COUNTED_BY, WEIGHTED_BY = "set_by", "counted_by", "weighted_by"
    ROWS_ARE, UNITS, BLOCKS, TAKE_ROWS = "rows_are", "units", "blocks", "take_rows"
    READING, REPAIR = "reading", "repair"
    KNOWN, FORGET_KNOWN, EXPECTED = "known_network", "forget_known_network", "expected_edges"

    # Network
    VIEW, BAR, TAKE, TRUST, FOUND_BY = "view", "network bar", "take_along", "trust", "found_by"
    FINDING, WAITING = "finding", "waiting"  # as high at first as at the end, so that what is below stays in place
    AROUND, ONLY = "around", "only"  # the part of a network that is shown
    OPEN_EDGE = "open_edge"
    REQUIRE, FORBID, FREE, DIRECTION = "require", "forbid", "free", "constrained_direction"  # the edge clicked in it
    STRENGTH, METHODS, THRESHOLD = "strength", "methods", "threshold"
    SHARE_KEPT, KIT_DATA = "share kept", "kit_data"  # the slider of the threshold
    SHORT_NAMES, OWN_NAMES, FORMAT = "short_names", "own_names", "format"
    METHODS_VIEW, TRUTH_OVER, SIGNS = "methods_view", "truth_over", "signs"
    JOIN_STATES, SEPARATE, KEEP_COLUMNS = "join_states", "separate_states", "keep_columns"
    FAIR_METHOD, NAIVE_METHOD = "fair_method", "naive_method"
    AVERAGED = "averaged"
    RELATION, RELATION_OF, RELATION_TO = "relation", "relation_of", "relation_to"

    # Evidence
    TRUTH, CALIBRATED = "calibration truth", "calibration methods"
    SECOND_SCORE, SECOND_RUNS = "second_score", "second_runs"
    EVIDENCE, EVIDENCE_PART = "evidence", "evidence_part"

    ROWS_WANTED, ROWS_EDGE = "rows_wanted", "rows_edge"

    # lessons
    USE_OWN, SECTIONS = "use_own", "sections"

    # lectures
    ANSWERS, PICTURE, LECTURE_NOW = "answers", "picture", "lecture_now"
    LECTURE_STEP, LECTURE_OPTIONS, LECTURE_ANSWER = "lecture_step", "lecture_options", "lecture_answer"
    LECTURE_ON, LECTURE_BACK, LECTURE_SUBJECT = "lecture_on", "lecture_back", "lecture_subject"
    PRESENTED, REMOTE = "presented", "remote"

    # MDL
    WORKED_ROWS, COPIES, PRECISION_ROWS = "worked_rows", "copies", "precision_rows"

    # Bayesian score
    TOSS = "toss"
    SEQUENCE, COIN_PRIOR, EQUIVALENT = "sequence", "coin_prior", "equivalent"
    GROWTH_NETWORK, GROWTH_ESS, SHOWN_ESS = "growth_network", "growth_ess", "shown_ess"
    PARTS_OF, HIDDEN_ROWS = "parts_of", "hidden_rows"

    # Bias lab
    LAB_STATES, LAB_ROWS, LAB_SKEW, LAB_SAMPLE = "lab_states", "lab_rows", "lab_skew", "lab_sample"
    LAB_SCALE, LAB_STATISTIC, LAB_MEASURED, LAB_GAINS = "lab_scale", "lab_statistic", "lab_measured", "lab_gains"
    SPACE_N, WALK_IMPROVING, WALK_PAIRS = "space_n", "walk_improving", "walk_pairs"
    WALK_BEST, WALK_BEAM = "walk_best", "walk_beam"
    STUCK_SOURCE, STUCK_ROWS, STUCK_NOISE = "stuck_source", "stuck_rows", "stuck_noise"
    ROWS_SEED = "rows_seed"
    LAB_FIRST, LAB_SECOND, LAB_FUNCTION, LAB_SHARE = "lab_first", "lab_second", "lab_function", "lab_share"
    LAB_DRAWS = "lab_draws"
    LAB_ARITIES, LAB_PAIR_ROWS, LAB_FOUND = "lab_arities", "lab_pair_rows", "lab_found"
    LAB_TRUTH = "lab_truth"
    LAB_SPARSE_ROWS = "lab_sparse_rows"
    LAB_ERROR_ROWS, LAB_VARYING, LAB_GAP_ROWS = "lab_error_rows", "lab_varying", "lab_gap_rows"

    # Predict
    PREDICT_SECTION, TARGET, TESTING = "predict", "prediction target", "prediction testing"
    AVERAGING = "prediction network"
    TEST_SHARE, FOLDS, TABLE_ESS = "prediction test_share", "prediction folds", "prediction ess"
    DETECTED = "detected_state"
    MEASURE, EDGES, TREE_ROOT = "measure", "edges", "tree_root"
    WHAT_NETWORK, OBSERVED, WHAT_STATES = "what_network", "observed", "what_states"
    WHAT_SHOWN, WHAT_ROW, WHAT_INFERRED, ROW_TAKEN = "what_shown", "what_row", "what_inferred", "row_taken"

    #: Settings shared by several scores or searches, whose value is kept from one to another.
    _SHARED = ("ess", "max_parents", "ordering", "restarts")

    #: Parts of the experiment.
    PARTS = ("calibration", "prediction")

    @classmethod
    def setting(cls, name: str, owner: str = "") -> str:
        """Return the widget's key of a declared setting of the experiment, or of a part, score or search ``owner``."""
        shared = name in cls._SHARED and owner not in cls.PARTS
        return f"{owner} {name}" if owner and not shared else name

    @staticmethod
    def of(key: str, *parts: object) -> str:
        """Return the key of a widget that exists once per data set, variable or method."""
        return " ".join(map(str, (key, *parts)))

    #: The buttons that start, repeat and stop work of a kind.
    start, again, stop = named("start"), named("again"), named("stop")
    #: Columns that go below one another where these would be too narrow.
    wide = named("wide")
    #: The place of a square picture, as large as its column; a picture; a table whose rows can be chosen; a remark.
    square, chart, table, note = named("square"), named("chart"), named("table"), named("note")
    #: Whether the part of a name, which is computed once opened, is open; the button that downloads a file; the section
    #: that the lessons of a page show.
    opened, download, section = named("opened"), named("download"), named("section")
