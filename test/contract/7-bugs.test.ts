// What clients and the log get of mistakes in callbacks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor, anyone, may, one, optional, own, resource, service, text } from 'duet-api'
import { Article } from '../../reference/article.ts'
import { Comment } from '../../reference/comment.ts'
import { Order } from '../../reference/order.ts'
import { Post } from '../../reference/post.ts'
import { Product } from '../../reference/product.ts'
import { User } from '../../reference/user.ts'
import { withService } from '../support/server/service.ts'

/** A definition with mistakes in its callbacks, which no client shall see. */
const Trap = resource('Trap', {
  prefix: 'trap',
  fields: { name: text({ max: 20 }), owner: optional(one('User', { default: actor })) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: may('create'),
      accept: ['name'],
      check: ({ input }) => {
        if (input.name === 'throws') throw new Error('select password_hash from users at /srv/trap.ts:12')
        return true
      },
      effect: async ({ input }) => {
        if (input.name === 'rejects') throw new TypeError("Cannot read properties of undefined (reading 'secret')")
      },
    },
    update: { allow: may('edit', own('owner')), accept: ['name'] },
  },
})
const broken = service({
  resources: { User, Post, Comment, Article, Product, Order, Trap },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { VIEWER: {}, EDITOR: { includes: 'VIEWER', traps: ['create'] }, ADMIN: 'everything' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
})

withService(
  '7.2 Errors: mistakes of our own',
  (running) => {
    const whole = { code: 'INTERNAL_ERROR', message: 'The service failed.' }
    for (const name of ['throws', 'rejects']) {
      test(`7.2.3 a callback that ${name}: the client learns nothing, the log everything`, async () => {
        running().forgetLog()
        const rest = await running().send('POST /api/v2/traps', { as: 'editor', body: { name } })
        assert.deepEqual([rest.status, rest.body], [500, { error: whole }])
        const [line] = running()
          .log()
          .filter((each) => each.includes('"level":"error"'))
        assert.match(line ?? '', name === 'throws' ? /select password_hash/ : /Cannot read properties/)
        assert.match(line!, new RegExp(`"request_?[iI]d":"${rest.headers['x-request-id']}"`))

        running().forgetLog()
        const query = `mutation { createTrap(input: { name: "${name}" }) { id } }`
        const { body, headers } = await running().graphql(query, { as: 'editor' })
        const { message, extensions, path } = body.errors[0]
        assert.deepEqual([message, extensions, path], [whole.message, { code: whole.code }, ['createTrap']])
        const [told] = running()
          .log()
          .filter((each) => each.includes('"level":"error"'))
        assert.match(told ?? '', new RegExp(`"request_?[iI]d":"${headers['x-request-id']}"`))

        const { body: list } = await running().send('GET /api/v2/traps')
        assert.equal(list.meta.total, 0, 'nothing of it is written')
      })
    }

    test('7.2.2 the service goes on after its mistakes', async () => {
      const { status } = await running().send('POST /api/v2/traps', { as: 'editor', body: { name: 'fine' } })
      assert.equal(status, 201)
      assert.equal((await running().send('GET /health')).status, 200)
    })
  },
  { definition: broken },
)
