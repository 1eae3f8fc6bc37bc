"""The files of examples/deploy/ agree with the server and with the tools that read them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from vaglio.cli.main import load_command
from vaglio.serve.counters import METRICS

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"


def _text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def _kubernetes() -> dict[str, Any]:
    return {each["kind"]: each for each in yaml.safe_load_all(_text("kubernetes.yaml"))}


def _command_lines() -> dict[str, list[str]]:
    """What each file gives to ``vaglio serve``."""
    instructions = {line.partition(" ")[0]: line.partition(" ")[2] for line in _text("Dockerfile").splitlines()}
    assert json.loads(instructions["ENTRYPOINT"]) == ["vaglio", "serve"]
    (service,) = re.findall(r"^ExecStart=\S+ serve (.+)$", _text("vaglio.service"), re.MULTILINE)
    container = _kubernetes()["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    return {
        "Dockerfile": json.loads(instructions["CMD"]),
        "vaglio.service": shlex.split(service),
        "kubernetes.yaml": container["args"],
    }


def test_the_server_takes_the_options():
    for name, arguments in _command_lines().items():
        context = load_command("serve").make_context("serve", list(arguments), resilient_parsing=False)
        assert context.params["models"], name


def test_probes_and_proxies_ask_at_addresses_of_the_server():
    container = _kubernetes()["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    probed = {container[probe]["httpGet"]["path"] for probe in ("livenessProbe", "readinessProbe")}
    assert probed == {"/health/live", "/health/ready"}
    assert "http://127.0.0.1:8000/health/ready" in _text("Dockerfile")
    assert "location /metrics" in _text("nginx.conf")
    assert "server 127.0.0.1:8000" in _text("nginx.conf")


def test_alerts_use_metrics_and_labels_that_exist():
    rules = yaml.safe_load(_text("alerts.yml"))["groups"][0]["rules"]
    known = {**METRICS, "vaglio_request_seconds_bucket": ("", ("route", "le"), "")}
    for rule in rules:
        for metric, labels in re.findall(r"(vaglio_\w+)(?:\{([^}]*)\})?", rule["expr"]):
            assert metric in known, rule["alert"]
            assert set(re.findall(r"(\w+)=", labels)) <= {*known[metric][1]}, rule["alert"]
        (grouped,) = re.findall(r"by \(([^)]*)\)", rule["expr"])[:1] or [""]
        named = set(re.findall(r"\w+", grouped))
        assert set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"]))) <= {*named, "instance", "model"}


# A file of a site is part of a configuration, which here writes nothing outside its folder.
_NGINX = """pid {folder}/pid; error_log stderr; events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/nginx.conf;
}}
"""
TOOLS = {
    "hadolint": ["Dockerfile"],
    "kubernetes-validate": ["--strict", "kubernetes.yaml"],
    "promtool": ["check", "rules", "alerts.yml"],
    "systemd-analyze": ["verify", "vaglio.service"],
    "nginx": ["-t", "-p", "{folder}", "-c", "{folder}/whole.conf"],
}


def _found(tool: str) -> str | None:
    """Where a tool is: beside Python, if it comes from PyPI, or on the path; also where only the system looks."""
    folders = (str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/sbin")
    return shutil.which(tool, path=os.pathsep.join(folders))


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_the_tools_that_read_the_files_accept_them(tool: str, tmp_path: Path):
    program = _found(tool)
    if program is None:
        pytest.skip(f"no {tool} on this machine")
    # systemd wants the program to exist, nginx the certificate.
    there = {"/opt/vaglio/bin/vaglio": "/bin/true", "/etc/ssl/models.example.org": f"{tmp_path}/site"}
    for file in DEPLOY.iterdir():
        content = file.read_text(encoding="utf-8")
        for path, instead in there.items():
            content = content.replace(path, instead)
        (tmp_path / file.name).write_text(content, encoding="utf-8")
    (tmp_path / "whole.conf").write_text(_NGINX.format(folder=tmp_path), encoding="utf-8")
    if tool == "nginx":
        certificate = ["-keyout", "site.key", "-out", "site.pem", "-days", "2", "-subj", "/CN=models.example.org"]
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *certificate]
        subprocess.run(make, cwd=tmp_path, capture_output=True, check=True)
    arguments = [each.format(folder=tmp_path) for each in TOOLS[tool]]
    done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
