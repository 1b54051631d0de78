// Traces as OpenTelemetry's own SDK sees them, of the whole service.

import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { anyone, on, route } from 'duet-api'
import { Post } from '../../reference/post.ts'
import { openTraces } from '../../src/observation/trace.ts'
import { until } from '../support/check/until.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { withService } from '../support/server/service.ts'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
// Before any service starts, as an operator would with `--import`.
provider.register()
beforeEach(() => exporter.reset())
after(() => provider.shutdown())

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`

const spans = (kind: SpanKind): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter((each) => each.kind === kind)
function onlyServerSpan(): ReadableSpan {
  const [span, ...others] = spans(SpanKind.SERVER)
  assert(span !== undefined && others.length === 0, `${others.length + 1} server spans`)
  return span
}
const childrenOf = (parent: ReadableSpan): readonly ReadableSpan[] =>
  spans(SpanKind.CLIENT).filter((each) => each.parentSpanContext?.spanId === parent.spanContext().spanId)

const broken = route('GET', '/api/v2/reports/broken', {
  summary: 'Fails',
  access: anyone,
  handle: async () => {
    throw new Error('planted-secret')
  },
})

const failing = on(Post, 'postCreated', async () => {
  throw new TypeError('planted-secret')
})

withService(
  'traces',
  (service) => {
    const draft = { post: { Post: { title: 'Draft', content: 'c', author: '{editor}' } } }

    test('a request is a span of its own, within the one that its caller names', async () => {
      const fixtures = service().fixtures(draft)
      const id = await fixtures.idOf('post')
      await service().token(await fixtures.idOf('editor'))
      exporter.reset()
      await service().send(`GET /api/v2/posts/${id}?fields=id`, { as: 'editor', fixtures, headers: { traceparent } })
      const span = onlyServerSpan()
      assert.equal(span.name, 'GET /api/v2/posts/{id}')
      assert.deepEqual([span.spanContext().traceId, span.parentSpanContext?.spanId], [traceId, spanId])
      const { 'duet.request_id': requestId, ...attributes } = span.attributes
      assert.match(String(requestId), /^[\w-]+$/)
      assert.deepEqual(attributes, {
        'http.request.method': 'GET',
        'url.scheme': 'http',
        'url.path': `/api/v2/posts/${id}`,
        'client.address': '127.0.0.1',
        'http.route': '/api/v2/posts/{id}',
        'http.response.status_code': 200,
      })
      assert.equal(span.status.code, SpanStatusCode.UNSET)
    })

    test('without a caller it begins a trace', async () => {
      await service().send('GET /api/v2/posts')
      assert.equal(onlyServerSpan().parentSpanContext, undefined)
    })

    test('each statement is a span within it, with its text and never with values', async () => {
      const fixtures = service().fixtures({})
      await service().token(await fixtures.idOf('editor'))
      exporter.reset()
      const body = { title: 'planted-title', content: 'C', publish: true }
      await service().send('POST /api/v2/posts', { as: 'editor', fixtures, body })
      const statements = childrenOf(onlyServerSpan())
      const insert = statements.find((each) => each.name === 'INSERT posts')
      assert(insert !== undefined, statements.map((each) => each.name).join())
      const { 'db.query.text': text, ...attributes } = insert.attributes
      assert.match(String(text), /^insert into "?posts/)
      const system = service().engine === 'sqlite' ? 'sqlite' : 'postgresql'
      assert.equal(attributes['db.system.name'], system)
      assert.equal(attributes['db.collection.name'], 'posts')
      assert.doesNotMatch(JSON.stringify(exporter.getFinishedSpans().map((each) => each.attributes)), /planted/)
    })

    test('an effect’s statements are in it as well', async () => {
      const fixtures = service().fixtures({
        product: { Product: { name: 'P', category: 'c', price: 1, currency: 'EUR', stock: 5 } },
      })
      const product = await fixtures.idOf('product')
      await service().token(await fixtures.idOf('viewer'))
      exporter.reset()
      const body = { items: [{ product_id: product, quantity: 1 }] }
      const { status, text } = await service().send('POST /api/v2/orders', { as: 'viewer', fixtures, body })
      assert.equal(status, 201, text)
      const names = childrenOf(onlyServerSpan()).map((each) => each.name)
      assert(names.includes('UPDATE products') && names.includes('INSERT orders'), names.join())
    })

    test('a GraphQL operation is named', async () => {
      await service().graphql('query Products { products { nodes { id } } }')
      const { name, attributes } = onlyServerSpan()
      assert.equal(name, 'POST /graphql')
      assert.equal(attributes['graphql.operation.name'], 'Products')
      assert.equal(attributes['graphql.operation.type'], 'query')
      assert.match(String(attributes['duet.document']), /^[0-9a-f]{64}$/)
    })

    test('an operation on a WebSocket is a span', async () => {
      const socket = await TestSocket.ready(service().url)
      exporter.reset()
      socket.send({ type: 'subscribe', id: '1', payload: { query: 'query Products { products { nodes { id } } }' } })
      await socket.next()
      await socket.next()
      while (spans(SpanKind.SERVER).length === 0) await new Promise((resolve) => setImmediate(resolve))
      const span = onlyServerSpan()
      assert.equal(span.name, 'WEBSOCKET /graphql')
      assert.equal(span.attributes['graphql.operation.name'], 'Products')
      assert.equal(childrenOf(span).length, 1)
      await socket.close()
    })

    test('a failure is reported by its code; only ours is an error', async () => {
      await service().send('GET /planted-path')
      const missing = onlyServerSpan()
      assert.equal(missing.name, 'GET')
      assert.equal(missing.attributes['duet.failure'], 'NOT_FOUND')
      assert.equal(missing.status.code, SpanStatusCode.UNSET)
      assert.doesNotMatch(JSON.stringify(missing.attributes), /planted/)
      exporter.reset()
      assert.equal((await service().client.send('GET /api/v2/reports/broken')).status, 500)
      const failed = onlyServerSpan()
      assert.deepEqual(failed.status, { code: SpanStatusCode.ERROR })
      assert.equal(failed.attributes['error.type'], 'INTERNAL_ERROR')
      assert.equal(failed.attributes['http.response.status_code'], 500)
      assert.deepEqual(failed.events, [])
    })

    test('the line of the log names the trace', async () => {
      service().forgetLog()
      await service().send('GET /api/v2/posts', { headers: { traceparent } })
      const line = service()
        .logged()
        .find(({ msg }) => msg === 'request')!
      assert.deepEqual([line['trace_id'], line['span_id']], [traceId, onlyServerSpan().spanContext().spanId])
    })

    test('what the service looks for in vain is no trace', async () => {
      // What earlier writes woke belongs to their traces.
      await service().settled()
      exporter.reset()
      const { counts } = service().store
      const enough = counts.statements + 5
      while (counts.statements < enough) await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(
        exporter.getFinishedSpans().map((each) => each.name),
        [],
      )
    })

    test('14.2.7 what it does by itself is a trace of its own, named, with its statements', async () => {
      const fixtures = service().fixtures({
        order: { Order: { user: '{viewer}', status: 'pending', items: [], total: 0, currency: 'EUR' } },
      })
      await fixtures.idOf('order')
      await service().send('POST /api/v2/posts', { as: 'editor', body: { title: 'T', content: 'C' } })
      service().advance(2 * 86_400_000)
      const named = (name: string) => spans(SpanKind.INTERNAL).find((each) => each.name === name)
      const names = ['move Order.expire', 'schedule archive', 'reaction postCreated']
      await until(() => names.every((each) => named(each) !== undefined))
      for (const name of names) {
        const span = named(name)!
        assert.equal(span.parentSpanContext, undefined)
        assert.ok(childrenOf(span).length > 0, name)
        assert.equal(span.status.code, name.startsWith('reaction') ? SpanStatusCode.ERROR : SpanStatusCode.UNSET, name)
      }
      assert.equal(named('reaction postCreated')!.attributes['error.type'], 'TypeError')
      assert.ok(!JSON.stringify(named('reaction postCreated')!.events).includes('planted-secret'))
    })
  },
  { logsRequests: true, reactions: [failing], routes: [broken], limits: { noticesMs: 20, eventPollMs: 20 } },
)

describe('where other code traces node:http', () => {
  test('their span is named and described, and left for them to end', async () => {
    const traces = await openTraces(assert.fail)
    const span = trace.getTracer('http').startSpan('GET', { kind: SpanKind.SERVER })
    const request = { method: 'GET', path: '/x', address: '', requestId: 'r', headers: {}, route: () => '/{x}' }
    await context.with(trace.setSpan(context.active(), span), () =>
      traces!.request(
        request,
        ({ spanId: id }) => assert.equal(id, span.spanContext().spanId),
        async () => ({ status: 204 }),
      ),
    )
    assert.deepEqual(exporter.getFinishedSpans(), [])
    span.end()
    const { name, attributes } = onlyServerSpan()
    assert.deepEqual([name, attributes['http.response.status_code']], ['GET /{x}', 204])
  })
})
