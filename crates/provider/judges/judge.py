"""Official clients hold a conversation with the scripted provider; what they understand is compared with the script.

    judge.py PROVIDER_BINARY

Each client starts the provider anew, because a failing line is played only once.
"""

import importlib.metadata
import json
import pathlib
import subprocess
import sys

import anthropic
import ollama
import openai

HERE = pathlib.Path(__file__).parent
KEY = "sk-judge"
THOUGHT = "Zwei Befehle, würde ich sagen 🦀."
SAID = "Ich sehe nach: 中文 ✓ "
CALLS = [("shell", {"command": 'ls "é"'}), ("shell", {})]
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}}


class Provider:
    def __init__(self, binary, key=KEY):
        self.process = subprocess.Popen(
            [binary, str(HERE / "script.jsonl"), "0", *([key] if key else [])], stdout=subprocess.PIPE, text=True
        )
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def same(what, found, wanted):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


def raises(kinds, action):
    try:
        action()
    except kinds as error:
        return error
    raise AssertionError(f"no {kinds} was raised")


def chat(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY, max_retries=0)
    same("models", [model.id for model in client.models.list()], ["scripted"])
    tools = [{"type": "function", "function": {"name": "shell", "parameters": PARAMETERS}}]
    messages = [{"role": "user", "content": "Sieh nach."}]

    def turn():
        text, thought, calls, usage, finish = "", "", {}, None, None
        stream = client.chat.completions.create(
            model="scripted", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
        )
        for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                finish = choice.finish_reason or finish
                text += choice.delta.content or ""
                thought += getattr(choice.delta, "reasoning_content", None) or ""
                for piece in choice.delta.tool_calls or []:
                    call = calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] += piece.id or ""
                    call["name"] += piece.function.name or ""
                    call["arguments"] += piece.function.arguments or ""
        return text, thought, list(calls.values()), usage, finish

    def record(text, thought, calls):
        sent = [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}} for c in calls]
        messages.append({"role": "assistant", "content": text, "tool_calls": sent, "reasoning_content": thought})
        messages.extend({"role": "tool", "tool_call_id": c["id"], "content": "done"} for c in calls)

    text, thought, calls, usage, finish = turn()
    same("text", (text, thought), (SAID, THOUGHT))
    same("calls", [(c["name"], json.loads(c["arguments"])) for c in calls], CALLS)
    same("finish", finish, "tool_calls")
    same("usage", (usage.prompt_tokens, usage.completion_tokens), (130, 50))
    same("details", (usage.prompt_tokens_details.cached_tokens, usage.completion_tokens_details.reasoning_tokens), (30, 10))
    record(text, "", calls)
    error = raises(openai.BadRequestError, turn)
    assert "reasoning_content" in str(error), error
    messages[1]["reasoning_content"] = thought
    record(*turn()[:3])
    error = raises(openai.RateLimitError, turn)
    same("wait", error.response.headers["retry-after"], "7")
    raises(openai.APIError, turn)
    text, _, calls, _, finish = turn()
    same("end", (text, calls, finish), ("Fertig.", [], "stop"))
    wrong = openai.OpenAI(base_url=f"{address}/v1", api_key="wrong", max_retries=0)
    raises(openai.AuthenticationError, lambda: wrong.chat.completions.create(model="scripted", messages=messages, stream=True))


def responses(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY, max_retries=0)
    tools = [{"type": "function", "name": "shell", "parameters": PARAMETERS, "strict": False}]
    items = [{"role": "user", "content": "Sieh nach."}]

    def turn():
        text = ""
        with client.responses.stream(
            model="scripted", input=items, tools=tools, store=False, include=["reasoning.encrypted_content"]
        ) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    text += event.delta
            response = stream.get_final_response()
        same("pieces", text, response.output_text)
        return response

    def record(response):
        items.extend(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output)
        calls = [item for item in response.output if item.type == "function_call"]
        items.extend({"type": "function_call_output", "call_id": c.call_id, "output": "done"} for c in calls)

    response = turn()
    same("kinds", [item.type for item in response.output], ["reasoning", "message", "function_call", "function_call"])
    same("thought", response.output[0].summary[0].text, THOUGHT)
    same("text", response.output_text, SAID)
    same("calls", [(item.name, json.loads(item.arguments)) for item in response.output[2:]], CALLS)
    same("usage", (response.usage.input_tokens, response.usage.input_tokens_details.cached_tokens), (130, 30))
    record(response)
    kept = items.pop(1)
    error = raises(openai.BadRequestError, turn)
    assert "reasoning" in str(error), error
    items.insert(1, kept)
    record(turn())
    raises(openai.RateLimitError, turn)
    raises((openai.APIError, RuntimeError), turn)
    same("end", turn().output_text, "Fertig.")


def messages(address):
    client = anthropic.Anthropic(base_url=address, api_key=KEY, max_retries=0)
    tools = [{"name": "shell", "input_schema": PARAMETERS}]
    said = [{"role": "user", "content": "Sieh nach."}]

    def turn():
        with client.messages.stream(model="scripted", max_tokens=4096, messages=said, tools=tools) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
        same("pieces", text, "".join(block.text for block in message.content if block.type == "text"))
        return message

    def record(message):
        said.append({"role": "assistant", "content": [block.model_dump(exclude_none=True, exclude={"parsed_output"}) for block in message.content]})
        calls = [block for block in message.content if block.type == "tool_use"]
        said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": c.id, "content": "done"} for c in calls]})

    message = turn()
    same("kinds", [block.type for block in message.content], ["thinking", "text", "tool_use", "tool_use"])
    same("thought", (message.content[0].thinking, message.content[0].signature), (THOUGHT, "signature-0"))
    same("text", message.content[1].text, SAID)
    same("calls", [(block.name, block.input) for block in message.content[2:]], CALLS)
    same("stop", message.stop_reason, "tool_use")
    same("usage", (message.usage.input_tokens, message.usage.cache_read_input_tokens, message.usage.output_tokens), (100, 30, 50))
    record(message)
    thinking = said[1]["content"].pop(0)
    error = raises(anthropic.BadRequestError, turn)
    assert "thinking" in str(error), error
    said[1]["content"].insert(0, thinking)
    results = said[2]["content"]
    said[2]["content"] = results[:1]
    raises(anthropic.BadRequestError, turn)
    said[2]["content"] = results
    record(turn())
    error = raises(anthropic.RateLimitError, turn)
    same("wait", error.response.headers["retry-after"], "7")
    raises(anthropic.APIStatusError, turn)
    message = turn()
    same("end", (message.content[0].text, message.stop_reason), ("Fertig.", "end_turn"))
    wrong = anthropic.Anthropic(base_url=address, api_key="wrong", max_retries=0)
    raises(anthropic.AuthenticationError, lambda: wrong.messages.create(model="scripted", max_tokens=9, messages=said, stream=True))


def local(address):
    client = ollama.Client(host=address)
    same("models", [model.model for model in client.list().models], ["scripted"])
    tools = [{"type": "function", "function": {"name": "shell", "description": "", "parameters": PARAMETERS}}]
    said = [{"role": "user", "content": "Sieh nach."}]

    def turn():
        text, thought, calls, last = "", "", [], None
        for part in client.chat(model="scripted", messages=said, tools=tools, think=True, stream=True):
            text += part.message.content or ""
            thought += part.message.thinking or ""
            calls += part.message.tool_calls or []
            last = part
        assert last is not None and last.done, "the last line says that it is the last"
        return text, thought, calls, last

    def record(text, thought, calls, _):
        said.append({"role": "assistant", "content": text, "thinking": thought, "tool_calls": calls})
        said.extend({"role": "tool", "tool_name": call.function.name, "content": "done"} for call in calls)

    text, thought, calls, last = turn()
    same("text", (text, thought), (SAID, THOUGHT))
    same("calls", [(call.function.name, dict(call.function.arguments)) for call in calls], CALLS)
    same("usage", (last.prompt_eval_count, last.eval_count), (130, 50))
    record(text, thought, calls, last)
    record(*turn())
    same("limited", raises(ollama.ResponseError, turn).status_code, 429)
    raises(ollama.ResponseError, turn)
    same("end", turn()[0], "Fertig.")


def main():
    binary = sys.argv[1]
    judges = [
        ("openai", "chat completions", chat, KEY),
        ("openai", "responses", responses, KEY),
        ("anthropic", "messages", messages, KEY),
        ("ollama", "chat", local, None),
    ]
    for judge, protocol, talk, key in judges:
        with Provider(binary, key) as address:
            talk(address)
        print(f"judge {judge} {importlib.metadata.version(judge)}: {protocol} as it should be")


main()
