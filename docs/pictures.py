"""Draw the pictures of the README again: ``python docs/pictures.py``."""

from pathlib import Path

import vaglio

HERE = Path(__file__).parent


def main() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    tree = vaglio.C45Classifier(max_depth=3).fit(X, y)
    (HERE / "penguins.svg").write_text(tree.to_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
