"""Settings: the one place that reads the environment and the configuration file."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from trivium.errors import ConfigError

DEFAULT_EMBEDDER = "use"

# name in the file -> (environment variable, default)
KEYS: dict[str, tuple[str, str]] = {
    "embedder": ("TRIVIUM_EMBEDDER", DEFAULT_EMBEDDER),
    "cache": ("TRIVIUM_CACHE", ""),
    "actor": ("TRIVIUM_ACTOR", ""),
    "session": ("TRIVIUM_SESSION", ""),
    "recipe": ("TRIVIUM_RECIPE", ""),
    "endpoint": ("TRIVIUM_ENDPOINT", ""),
    "api_key_variable": ("TRIVIUM_API_KEY_VARIABLE", "OPENAI_API_KEY"),
    "busy_timeout_s": ("TRIVIUM_BUSY_TIMEOUT_S", "30"),
    "hook_tools": ("TRIVIUM_HOOK_TOOLS", "off"),
    "hook_stop": ("TRIVIUM_HOOK_STOP", "off"),
    "hook_memories": ("TRIVIUM_HOOK_MEMORIES", "assist"),
    "hook_deadline_s": ("TRIVIUM_HOOK_DEADLINE_S", ""),
}

HOOK_CHOICES: dict[str, tuple[str, str]] = {
    "hook_tools": ("off", "on"),
    "hook_stop": ("off", "on"),
    "hook_memories": ("assist", "takeover"),
}


class Settings(NamedTuple):
    """What a run was asked to be; `origins` says where each value came from."""

    home: str
    cache: str
    embedder: str
    embedder_options: dict[str, str]
    actor: str
    session: str
    recipe: str
    busy_timeout_s: float
    origins: dict[str, str]
    hooks: dict[str, str]


class HookSettings(NamedTuple):
    """What hooks were asked to be; `deadline_s` is None where each event has its own."""

    has_tools: bool
    has_stop: bool
    has_memories: bool
    deadline_s: float | None


def home_folder(environ: Mapping[str, str] | None = None) -> str:
    """The folder that holds the truth: `TRIVIUM_HOME`, or `.trivium` in the user's home."""
    given = (os.environ if environ is None else environ).get("TRIVIUM_HOME", "").strip()
    return os.path.abspath(os.path.expanduser(given or "~/.trivium"))


def load(*, home: str | None = None, embedder: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Arguments win over the environment, the environment over `config.toml` in the home, that over defaults.

    Raises `ConfigError` for a key that does not exist or a value that cannot be.
    """
    env = os.environ if environ is None else environ
    folder = os.path.abspath(os.path.expanduser(home)) if home else home_folder(env)
    file = read_file(os.path.join(folder, "config.toml"))
    values: dict[str, str] = {}
    origins: dict[str, str] = {}
    for key, (variable, default) in KEYS.items():
        if env.get(variable, "").strip():
            values[key], origins[key] = env[variable].strip(), variable
        elif key in file:
            values[key], origins[key] = str(file[key]), os.path.join(folder, "config.toml")
        else:
            values[key], origins[key] = default, "default"
    if embedder:
        values["embedder"], origins["embedder"] = embedder, "argument"
    given_home = env.get("TRIVIUM_HOME", "").strip()
    origins["home"] = "argument" if home else "TRIVIUM_HOME" if given_home else "default"
    key_variable = values["api_key_variable"]
    return Settings(
        home=folder,
        cache=os.path.abspath(os.path.expanduser(values["cache"] or _default_cache(env))),
        embedder=values["embedder"],
        embedder_options={
            name: value
            for name, value in (
                ("endpoint", values["endpoint"]),
                ("api_key", env.get(key_variable, "")),
                ("api_key_variable", key_variable),
            )
            if value
        },
        actor=values["actor"] or env.get("USER", "") or env.get("USERNAME", "") or "unknown",
        session=values["session"] or env.get("CLAUDE_SESSION_ID", ""),
        recipe=values["recipe"],
        busy_timeout_s=_seconds(values["busy_timeout_s"], origins["busy_timeout_s"]),
        origins=origins,
        hooks={key: value for key, value in values.items() if key.startswith("hook_")},
    )


def hook_settings(home: str, *, environ: Mapping[str, str] | None = None) -> HookSettings:
    """What hooks are told, without reading a file that says nothing about them. Raises `ConfigError`."""
    env = os.environ if environ is None else environ
    path = os.path.join(home, "config.toml")
    try:
        with open(path, "rb") as stream:
            is_told = b"hook_" in stream.read()
    except OSError:
        is_told = False
    file = read_file(path) if is_told else {}
    values = {
        key: env.get(variable, "").strip() or str(file.get(key, default))
        for key, (variable, default) in KEYS.items()
        if key.startswith("hook_")
    }
    for key, choices in HOOK_CHOICES.items():
        if values[key] not in choices:
            raise ConfigError(f"{key} must be {' or '.join(choices)}, not {values[key]!r}")
    given = values["hook_deadline_s"]
    origin = KEYS["hook_deadline_s"][0] if env.get(KEYS["hook_deadline_s"][0], "").strip() else path
    return HookSettings(
        values["hook_tools"] == "on",
        values["hook_stop"] == "on",
        values["hook_memories"] == "takeover",
        _seconds(given, origin, "hook_deadline_s") if given else None,
    )


def listing(settings: Settings) -> dict[str, str]:
    """Every setting as text, by its key; the key of an endpoint is not among them."""
    options = settings.embedder_options
    return {
        "home": settings.home,
        "cache": settings.cache,
        "embedder": settings.embedder,
        "endpoint": options.get("endpoint", ""),
        "api_key_variable": options.get("api_key_variable", ""),
        "recipe": settings.recipe,
        "actor": settings.actor,
        "session": settings.session,
        "busy_timeout_s": f"{settings.busy_timeout_s:g}",
        **settings.hooks,
    }


def host_folders(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The folders in which hosts of agents keep their settings and transcripts, wherever a user moved them."""
    env = os.environ if environ is None else environ
    gemini = env.get("GEMINI_CLI_HOME", "").strip() or "~"
    given = {
        "claude": env.get("CLAUDE_CONFIG_DIR", "").strip() or "~/.claude",
        "codex": env.get("CODEX_HOME", "").strip() or "~/.codex",
        "gemini": os.path.join(gemini, ".gemini"),
        "cursor": "~/.cursor",
    }
    return {host: os.path.abspath(os.path.expanduser(folder)) for host, folder in given.items()}


def read_file(path: str) -> dict[str, Any]:
    """The keys of a configuration file, none when there is no file."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"The configuration file cannot be read: {path} ({error.strerror})") from error
    import tomllib

    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The configuration file is not TOML: {path}: {error}") from error
    for key, value in values.items():
        if key not in KEYS:
            import difflib

            near = difflib.get_close_matches(key, KEYS, n=1)
            raise ConfigError(
                f"Unknown key {key!r} in {path}",
                hint=f"Did you mean {near[0]!r}?" if near else "Keys: " + ", ".join(KEYS),
            )
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise ConfigError(f"{key} in {path} must be a text or a number, not {type(value).__name__}")
    return values


def is_debugging(environ: Mapping[str, str] | None = None) -> bool:
    """Whether an unexpected failure is shown with its traceback: `TRIVIUM_DEBUG`."""
    return (os.environ if environ is None else environ).get("TRIVIUM_DEBUG", "").strip() not in ("", "0")


def is_color_refused(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the user wants no colour: any `NO_COLOR`, or a terminal that has none."""
    env = os.environ if environ is None else environ
    return bool(env.get("NO_COLOR")) or env.get("TERM") == "dumb"


def _seconds(text: str, origin: str, key: str = "busy_timeout_s") -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise ConfigError(f"{key} must be a number of seconds from 0 to 3600, not {text!r} ({origin})")
    return value


def _default_cache(env: Mapping[str, str]) -> str:
    base = env.get("XDG_CACHE_HOME", "").strip() or env.get("LOCALAPPDATA", "").strip() or "~/.cache"
    return os.path.join(base, "trivium")
