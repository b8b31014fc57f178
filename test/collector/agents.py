"""Agents in Python, with the real SDK and exporter. `python agents.py SESSIONS TURNS`, OTEL_EXPORTER_OTLP_ENDPOINT set.

Every other session is anonymous. The ids of the others are in baggage, and the baggage processor puts them on all spans.
"""

import sys

from opentelemetry import baggage, context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.processor.baggage import BaggageSpanProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

SESSIONS, TURNS = (int(argument) for argument in sys.argv[1:3])

provider = TracerProvider(resource=Resource.create({"service.name": "python-agent"}))
provider.add_span_processor(BaggageSpanProcessor(lambda key: key == "session.id"))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=50))
tracer = provider.get_tracer("python-agent")


def turn(tools):
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "python_agent"}
    with tracer.start_as_current_span("invoke_agent python_agent", attributes=attributes):
        for tool in tools:
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
            with tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes):
                with provider.get_tracer("http").start_as_current_span("GET"):
                    pass


for session in range(SESSIONS):
    carrier = baggage.set_baggage("session.id", f"py-{session}") if session % 2 == 0 else context.get_current()
    token = context.attach(carrier)
    for count in range(TURNS):
        turn(["lookup", "reply"] if (session + count) % 3 else ["reply"])
    context.detach(token)
provider.shutdown()
