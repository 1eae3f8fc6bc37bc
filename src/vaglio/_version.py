"""The version. It is written here and nowhere else; between releases the build adds the commit, in `_build`."""

VERSION = "0.10.0.dev0"


def _exact() -> str:
    try:
        from vaglio._build import VERSION as built
    except ImportError:  # run from the sources, without a build
        return VERSION
    return built if built.startswith(f"{VERSION}+") else VERSION


__version__ = _exact()
