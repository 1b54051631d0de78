// Answers of other media types, streams and paths with dots, through real HTTP. (contract 5.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaRoutes as routes } from '../support/domain/raw-routes.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const rows: readonly Row[] = [
  {
    clause: '5.5.10',
    it: 'checks permission, as every other',
    send: 'GET /api/v2/exports/orders.csv',
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  {
    clause: '5.5.10',
    it: 'checks what is sent, as every other',
    as: 'viewer',
    send: 'GET /api/v2/exports/orders.csv?status=x&colour=red',
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['status', 'colour'] },
  },
  {
    clause: '5.5.10',
    it: 'reports no before its first piece as every other',
    send: 'GET /api/v2/exports/9',
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'Nine is too much.' },
  },
  {
    clause: '5.5.11',
    it: 'has only the paths that it says, with their dots',
    send: 'GET /api/v2/exports/ordersXcsv',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '5.5.11',
    it: 'does not stand in the way of what is answered beside it',
    send: 'GET /.well-known/others.txt',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
]
clauses('5.5 Answers of other media types', rows, { routes })

withService(
  '5.5 What is no JSON',
  (service) => {
    /** Without what `send` holds answers in JSON to. */
    const ask = async (line: string, headers: Record<string, string> = {}) => service().client.send(line, { headers })
    const seen = async (path: string) => {
      const { status, headers, text } = await ask(`GET ${path}`)
      return { status, text, type: headers['content-type'], cache: headers['cache-control'] }
    }

    test('5.5.10 text, bytes and generators are answered as they are', async () => {
      const cache = 'public, no-cache'
      assert.deepEqual(await seen('/api/v2/exports/3'), {
        status: 200,
        text: '1\n2\n3\n',
        type: 'application/x-ndjson',
        cache,
      })
      assert.deepEqual(await seen('/api/v2/exports/0'), { status: 200, text: '', type: 'application/x-ndjson', cache })
      assert.deepEqual(await seen('/api/v2/pixels/one.gif'), { status: 200, text: 'GIF', type: 'image/gif', cache })
      assert.equal((await ask('GET /api/v2/pixels/one.gif')).headers['last-modified'], 'Fri, 20 Nov 2026 09:30:00 GMT')
    })

    test('5.5.10 what is whole is not sent again to who has it', async () => {
      const { headers } = await ask('GET /api/v2/pixels/one.gif')
      const again = await ask('GET /api/v2/pixels/one.gif', { 'If-None-Match': headers.etag! })
      assert.deepEqual([again.status, again.text, again.headers['content-type']], [304, '', undefined])
    })

    test('5.5.10 HEAD makes nothing', async () => {
      const { status, headers, text } = await ask('HEAD /api/v2/exports/3')
      assert.deepEqual([status, headers['content-type'], text], [200, 'application/x-ndjson', ''])
    })

    test('5.5.10 Accept never fails, and nothing that is streamed is compressed', async () => {
      const { status, headers, text } = await ask('GET /api/v2/exports/3', {
        Accept: 'application/json',
        'Accept-Encoding': 'gzip',
      })
      assert.deepEqual([status, headers['content-encoding'], text], [200, undefined, '1\n2\n3\n'])
    })

    test('5.5.10 a header that is not for routes to set, and what is no body, are bugs', async () => {
      service().forgetLog()
      for (const path of ['/api/v2/pixels/forbidden', '/api/v2/pixels/wrong']) {
        const { status, body } = await ask(`GET ${path}`)
        assert.deepEqual([status, body.error.code], [500, 'INTERNAL_ERROR'])
      }
      const log = service().log().join('')
      assert.match(log, /GET \/api\/v2\/pixels\/forbidden may not set the header Set-Cookie/)
      assert.match(log, /GET \/api\/v2\/pixels\/wrong answers text, bytes or pieces of them/)
      service().forgetLog()
    })

    test('5.5.11 a path may be a well-known one', async () => {
      const { status, text, type } = await seen('/.well-known/security.txt')
      assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8'])
      assert.match(text, /^Contact: /)
      assert.equal((await ask('GET /.well-known/jwks.json')).body.keys.length > 0, true)
      const { headers } = await ask('OPTIONS /.well-known/security.txt')
      assert.equal(headers.allow, 'GET, HEAD, OPTIONS')
    })

    test('5.5.10 all of a list is exported, whatever its length, by the rules of its caller', async () => {
      const { viewer } = await service()
        .fixtures({ product: { Product: product } })
        .fill({ viewer: '{viewer}' })
      const orders = Object.fromEntries(Array.from({ length: 250 }, (_, each) => [`o${each}`, orderOf(each)]))
      const own = service().fixtures({ product: { Product: product }, ...orders })
      const ids = await Promise.all(Object.keys(orders).map((name) => own.idOf(name)))
      await service().fixtures().idOf('other order')
      const headers = { Authorization: `Bearer ${await service().token(viewer)}` }
      const answer = await ask('GET /api/v2/exports/orders.csv', headers)
      assert.deepEqual(
        [answer.status, answer.headers['content-type'], answer.headers['content-disposition']],
        [200, 'text/csv; charset=utf-8', 'attachment; filename="orders.csv"'],
      )
      const lines = answer.text.trimEnd().split('\n')
      assert.equal(lines.shift(), 'id,total')
      const totals = lines.map((line) => Number(line.split(',')[1]))
      assert.deepEqual(
        totals,
        totals.toSorted((left, right) => right - left),
      )
      assert.deepEqual(new Set(lines.map((line) => line.split(',')[0])), new Set(ids))
      assert.equal(lines.length, 250)
      const paid = await ask('GET /api/v2/exports/orders.csv?status=paid', headers)
      assert.equal(paid.text.trimEnd().split('\n').length, 1 + 125)
    })
  },
  { routes },
)

const product = { name: 'Pan', category: 'kitchen', price: 5, currency: 'EUR', stock: 9 }
const orderOf = (each: number) => ({
  Order: {
    user: '{viewer}',
    status: each % 2 === 0 ? 'paid' : 'pending',
    items: [{ product: '{product}', quantity: 1, unitPrice: 5 }],
    total: each % 7,
    currency: 'EUR',
  },
})
