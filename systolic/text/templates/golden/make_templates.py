#!/usr/bin/env python3
"""What transformers writes of conversations by templates in the forms that families of models have, and of odd parts.

    python systolic/text/templates/golden/make_templates.py      # transformers 5.23, jinja2 3.1

templates.jsonl: a line for each: {"template", "values", "text"}, or "fails": true in the place of the text.
"""
import json
import pathlib

from transformers.utils.chat_template_utils import _compile_jinja_template

HERE = pathlib.Path(__file__).resolve().parent

CHATML = """{%- for message in messages %}
    {%- if loop.first and messages[0]['role'] != 'system' %}
        {{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
LLAMA = """{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none %}
    {{- "Tools:\\n\\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("One call at a time") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
QWEN = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- else %}
    {%- if messages[0].role == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or (not loop.last and reasoning_content)) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}
                    {{- '\\n' }}
                {%- endif %}
                {%- if tool_call.function %}
                    {%- set tool_call = tool_call.function %}
                {%- endif %}
                {{- '<tool_call>\\n{"name": "' }}
                {{- tool_call.name }}
                {{- '", "arguments": ' }}
                {%- if tool_call.arguments is string %}
                    {{- tool_call.arguments }}
                {%- else %}
                    {{- tool_call.arguments | tojson }}
                {%- endif %}
                {{- '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""
MISTRAL = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Roles must alternate') }}
    {%- endif %}
    {%- if message["role"] == "user" %}
        {%- if loop.first and system_message is defined %}
            {{- " [INST] " + system_message + "\\n\\n" + message["content"] + " [/INST]" }}
        {%- else %}
            {{- " [INST] " + message["content"] + " [/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] + eos_token }}
    {%- else %}
        {{- raise_exception("Only user and assistant") }}
    {%- endif %}
{%- endfor %}
"""
GEMMA = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\\n\\n' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<start_of_turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}
                {{ '<start_of_image>' }}
            {%- elif item['type'] == 'text' -%}
                {{ item['text'] | trim }}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<start_of_turn>model\\n'}}
{%- endif -%}
"""
PHI = """{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}
{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"""
SMOL = """{# defaults #}
{%- if enable_thinking is not defined -%}
{%- set enable_thinking = true -%}
{%- endif -%}
{%- macro tools_of(list) -%}
  {%- for tool in list %}
{{ tool.function.name | upper }}: {{ tool.function.description | default("nothing", true) }}
  {%- endfor -%}
{%- endmacro -%}
{%- set reasoning_mode = "/think" if enable_thinking else "/no_think" -%}
{%- set custom = namespace(text="") -%}
{%- if messages[0].role == "system" -%}
  {%- set custom.text = messages[0].content.replace("/no_think", "").replace("/think", "").rstrip() -%}
{%- endif -%}
<|im_start|>system
Mode: {{ reasoning_mode }}
{% if custom.text %}{{ custom.text ~ "\\n" }}{% endif %}
{%- if tools %}{{ tools_of(tools) }}{% endif -%}
<|im_end|>
{% for message in messages if message.role != "system" %}
    {%- set content = message.content if message.content is string else "" -%}
    {%- if message.role == "user" -%}
        {{ "<|im_start|>" + message.role + "\\n" + content + "<|im_end|>\\n" }}
    {%- elif message.role == "assistant" -%}
        {% generation %}{{ "<|im_start|>assistant\\n" + content.lstrip("\\n") + "<|im_end|>\\n" }}{% endgeneration %}
    {%- endif -%}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Says \u00fc < \"b\" & 'c'", "parameters": {
    "type": "object", "properties": {"zone": {"type": "string"}, "a": {"type": "number", "minimum": -1.5}},
    "required": ["zone"], "n": [], "o": {}, "x": None, "y": True}}}, {"type": "function", "function": {"name": "no"}}]
USER = {"role": "user", "content": " Where does the boat sail? \n"}
ANSWER = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nTo the island \u00e9."}
SYSTEM = {"role": "system", "content": "Be kind. /no_think"}
CALL = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {
    "name": "weather", "arguments": {"zone": "N", "a": 2}}}]}
RESULT = {"role": "tool", "name": "weather", "content": "rain"}
PARTS = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": " what? "}]}

CHATS = {
    "one": ([USER], {}), "asked": ([USER], {"add_generation_prompt": True}),
    "system": ([SYSTEM, USER, ANSWER, USER], {"add_generation_prompt": True}),
    "twice": ([USER, USER], {}), "answered": ([SYSTEM, USER, ANSWER], {}),
    "tools": ([SYSTEM, USER, CALL, RESULT, RESULT], {"tools": TOOLS, "add_generation_prompt": True}),
    "parts": ([PARTS, ANSWER], {}), "plain": ([USER], {"enable_thinking": False, "add_generation_prompt": True}),
    "empty": ([], {}), "other": ([{"role": "critic", "content": "no"}], {}),
}
FAMILIES = {"chatml": CHATML, "llama": LLAMA, "qwen": QWEN, "mistral": MISTRAL, "gemma": GEMMA, "phi": PHI, "smol": SMOL}

# Parts of the language, one by one.
PARTS_OF_JINJA = [
    "{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 * 3 + 1 }} {{ 1.5 + 1 }} {{ 1e3 if false else 10 }}",
    "{{ 'a' ~ 1 ~ none ~ true ~ 1.0 ~ [1, 'x'] ~ {'k': 'v\\'s'} }}", "{{ 'ab' * 3 }}{{ [1] * 2 }}",
    "{{ [1, 2, 3][1:] }} {{ 'hello'[::-1] }} {{ 'hello'[-3:-1] }} {{ [1, 2, 3][5:] }}",
    "{{ missing }}|{{ missing is defined }}|{{ missing | default('d') }}|{{ '' | default('d', true) }}", "{{ missing.x }}",
    "{{ missing + 'x' }}", "{{ 1 + 'x' }}", "{{ [3, 1, 2] | join('-') }} {{ 'abc' | join('.') }} {{ 'abc' | length }}",
    "{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }},{% endfor %}",
    "{% for k, v in {'b': 1, 'a': 2}.items() %}{{ k }}={{ v }}{{ ';' if not loop.last }}{% endfor %}",
    "{% for x in [] %}x{% else %}none{% endfor %}", "{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}",
    "{% set ns = namespace(n=0) %}{% for i in range(4) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
    "a  \n  {%- if true %}  b\n{% endif -%}   \n c", "line\n   {% if true %}\n  inside\n   {% endif %}\nend\n",
    "  {%+ if true %}x{% endif +%}\ny", "{{- 'a' -}}  b  {{ 'c' }}\n\nd", "a{# comment #}\nb {#- c -#} d",
    "{% raw %}{{ no }}{% endraw %}!", "{% set t %}in {{ 1 + 1 }}{% endset %}[{{ t }}]", "{% filter upper %}ab{{ 'c' }}{% endfilter %}",
    "{% macro f(a, b='x') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(1, b=2) }}", "{{ ' x ' | trim | upper }}",
    "{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }}",
    "{{ 'Hello World'.lower().title() }} {{ 'hELLO'.capitalize() }} {{ 'xxaxx'.strip('x') }} {{ 'abab'.replace('a', 'c', 1) }}",
    "{{ users | selectattr('role', 'equalto', 'a') | list }} {{ users | map(attribute='role') | join(',') }}",
    "{{ users | rejectattr('role', 'equalto', 'a') | map(attribute='n') | list }} {{ [1, 2, 3] | select('odd') | list }}",
    "{{ (1, 2) | list }} {{ [1, 2] == [1, 2] }} {{ 1 in [1] }} {{ 'a' not in 'b' }} {{ not 1 == 2 }}",
    "{{ 1 is number }} {{ 'a' is string }} {{ {} is mapping }} {{ none is none }} {{ true is boolean }} {{ 1 is not string }}",
    "{{ users[0]['n'] }} {{ users[0].n }} {{ users[9] }} {{ users[0].get('z', 5) }} {{ users | first }} {{ users | last }}",
    "{{ [1, [2, {'a': none}]] | tojson }} {{ 'a<b>&\\u00e9\"' | tojson }} {{ {} | tojson(indent=2) }} {{ [1, {'a': 2}] | tojson(indent=2) }}",
    "{{ loop }}", "{{ raise_exception('stop') }}", "{% if %}", "{{ 1", "{% for %}{% endfor %}", "{% include 'x' %}", "{{ 'a' | nofilter }}",
    "{{ ().__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ 'x' if false }}|{{ 'y' if true else 'n' }}", "{{ [1, 2] | reverse | list }}",
    "{{ 'a\\nb' | indent(2) }} {{ '5' | int + 1 }} {{ 'z' | int }} {{ 3.7 | int }} {{ -3 | abs }}", "{{ {'b': 1, 'a': 2} | dictsort }}",
    "{% for a in [1, 2, 3] %}{{ loop.index }}{{ loop.revindex0 }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('x', 'y') }} {% endfor %}",
    "{{ missing | length }}{{ missing | join }}{{ 'x' in missing }}{% for x in missing %}{{ x }}{% endfor %}|{{ missing | list }}",
    "{{ 1, 'a' }} {{ (1,) }} {{ () }} {{ (1, 2) == [1, 2] }} {{ (1, 2)[::-1] }} {{ (1,) + (2,) }} {{ {'a': 1}.items() | list }}",
    "{{ users.0.n }} {{ [[1, 2], [3]].0.1 }} {{ [{'a': {'b': 1}}] | map(attribute='a.b') | list }} {{ users | selectattr('z.y') | list }}",
    "{{ '\\x41\\u00e9\\U0001F600\\q\\'' }} {{ 1e3 }} {{ 1.5E-3 }} {{ 1_000 }} {{ 2.0e+2 | int }}", "{{ -3 | abs + 1 }} {{ - 2 * 3 }} {{ +4 }}",
    "{{ ns }}{% set ns = namespace(a=[1]) %}{{ ns.a }}{{ ns is mapping }}", "{% set d = {'a': 1} %}{% set d.a = 2 %}", "{% break %}",
    "{% for i in [1, 2] %}{% macro m(i) %}{{ i * 2 }}{% endmacro %}{{ m(i) }}{% endfor %}", "{% for i in [1] %}{{ j }}{% endfor %}{% set j = 1 %}{{ j }}",
    "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}", "{{ f(1) }}", "{{ users.foo }}", "{{ users.foo.bar }}",
    "{{ 'ab1' | upper }} {{ '\u00c9' | lower }} {{ 'x\u00e9y'.capitalize() }} {{ \"it's a-b\" | title }}",
    "{{ {'a': {'b': [1, none, true, 'x\"y', \"it's\"]}} }}", "{{ 'a' if 1 > 2 else 'b' if 2 > 1 else 'c' }}",
    "{{ 'x' * 2 ~ 'y' }} {{ 1 ~ 2 + 3 }} {{ '1' + '2' | string }}", "{{ [1, 2, 3] | sum }}", "{{ 7.5 // 2 }} {{ 7.5 % 2 }} {{ 1 / 3 }}",
    "{{ true and 'x' or 'y' }} {{ '' or 'z' }} {{ none and 1 }}", "{{ 'a' < 'b' }} {{ 2 >= 2 }} {{ 1 < 'a' }}", "{{ 3 | string + '!' }}",
]


def write(file, template, values):
    try:
        result = {"text": _compile_jinja_template(template).render(**values)}
    except Exception as error:
        result = {"fails": True, "as": type(error).__name__}
    print(json.dumps(dict(template=template, values=values, **result), ensure_ascii=False), file=file)


if __name__ == "__main__":
    with open(HERE / "templates.jsonl", "w") as file:
        for template in FAMILIES.values():
            for messages, values in CHATS.values():
                write(file, template, dict(dict(messages=messages, tools=None, documents=None, add_generation_prompt=False,
                                                bos_token="<s>", eos_token="</s>"), **values))
        for template in PARTS_OF_JINJA:
            write(file, template, {"users": [{"role": "a", "n": 1}, {"role": "b", "n": 2.5}]})
