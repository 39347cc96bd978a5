"""Puts the program ccp into the wheel, and its sources into the source distribution.

The program is compiled here, which takes Go 1.26 or later, unless CLUSTERPOOL_BUILD names one that is ready: a path and its
platform as Go calls it, such as "dist/ccp-linux-arm64 linux/arm64". CLUSTERPOOL_LICENCES may name a folder with the licences
of what is linked into it.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAGS = {  # the program for Linux is static, so that it runs with any libc; Go 1.27 asks for macOS 13
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_13_0_x86_64",
    "darwin/arm64": "macosx_13_0_arm64",
    "windows/amd64": "win_amd64",
}
SOURCES = ["go.mod", "go.sum", "LICENSE", "cmd", "ccp", "datasets", "internal", "models", "benchmarks/paper"]


def here() -> str:
    """Return this machine's platform as Go calls it."""
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    return f"{platform.system().lower()}/{machine.get(platform.machine().lower(), platform.machine())}"


class ProgramHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        root = pathlib.Path(self.root)
        sources = root / "go" if (root / "go").exists() else root.parent  # of a source distribution, or of a clone
        included = build_data["force_include"]
        if self.target_name == "sdist":
            for path in files_of(sources):
                included[str(path)] = f"go/{path.relative_to(sources).as_posix()}"
            return
        ready, _, of = os.environ.get("CLUSTERPOOL_BUILD", "").rpartition(" ")
        of = of or here()
        if of not in TAGS:
            raise RuntimeError(f"there is no wheel for {of}; the platforms are {', '.join(TAGS)}")
        name = "ccp.exe" if of.startswith("windows/") else "ccp"
        if version == "editable":
            folder = root / "src" / "clusterpool" / "bin"
            folder.mkdir(exist_ok=True)
        else:
            self.folder = folder = pathlib.Path(tempfile.mkdtemp())
            included[str(folder / name)] = f"clusterpool/bin/{name}"
        if ready:
            shutil.copy(ready, folder / name)
        else:
            build(sources, folder / name, of)
        (folder / name).chmod(0o755)
        included[str(sources / "LICENSE")] = "clusterpool/licences/ccp"
        licences = os.environ.get("CLUSTERPOOL_LICENCES")
        for path in sorted(pathlib.Path(licences).iterdir()) if licences else []:
            included[str(path)] = f"clusterpool/licences/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[of]}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)


def files_of(sources: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that the program is made of, without its tests."""
    paths = []
    for name in SOURCES:
        path = sources / name
        paths += [path] if path.is_file() else sorted(path.rglob("*"))
    return [path for path in paths if path.is_file() and not path.name.endswith("_test.go") and "testdata" not in path.parts]


def build(sources: pathlib.Path, out: pathlib.Path, of: str) -> None:
    """Compile the program, without cgo."""
    if shutil.which("go") is None:
        raise RuntimeError("the program of clusterpool is written in Go, and there is no go here: install Go 1.26 or later from "
                           "https://go.dev/dl, or a wheel, which needs none (pip install --only-binary clusterpool clusterpool)")
    system, machine = of.split("/")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine, "GOTOOLCHAIN": "auto"}
    if machine == "amd64":
        environment["GOEXPERIMENT"] = "simd"  # vectors of AVX2 and AVX-512, where the processor has them
    line = ["go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", str(out), "./cmd/ccp"]
    subprocess.run(line, cwd=sources, env=environment, check=True)
