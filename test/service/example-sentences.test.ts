// What must hold of the examples, sentence by sentence, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overhear, quiet } from '../support/check/statement-counter.ts'
import { faceNames, speak, type Told } from '../support/client/both-faces.ts'
import { codesOf } from '../support/client/subscriber.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { companyHelpdesk, shop, shopExport, social, socialReactions } from '../support/domain/example.ts'
import type { Recipes } from '../support/rows/fixtures.ts'
import { type TestService, withService } from '../support/server/service.ts'

/** The people and records of a story, and how people speak of them through both faces, which must agree. */
async function storyOf<const Story extends Recipes>(service: TestService, story: Story) {
  const fixtures = service.fixtures(story)
  const ids = {} as Record<keyof Story & string, string>
  for (const name of Object.keys(story) as (keyof Story & string)[]) ids[name] = await fixtures.idOf(name)
  const voices = (who: keyof Story & string) =>
    faceNames.map((face) => speak(face, service, { as: `{${who}}`, fixtures }))
  const codes = async (who: keyof Story & string, ask: (voice: ReturnType<typeof speak>) => Promise<Told>) => {
    const [rest, graphql] = voices(who)
    const code = (await ask(rest!)).code
    assert.equal((await ask(graphql!)).code, code, 'both faces')
    return code
  }
  const get = async (who: keyof Story & string, path: string) => {
    const { status, body, text } = await service.send(`GET /api/v1/${path}`, { as: `{${who}}`, fixtures })
    assert.equal(status, 200, text)
    return body
  }
  const graphql = async (who: keyof Story & string, query: string, variables?: object) => {
    const { body, text } = await service.graphql(query, {
      as: `{${who}}`,
      fixtures,
      ...(variables === undefined ? {} : { variables }),
    })
    assert.equal(body.errors, undefined, text)
    return body.data
  }
  const socketOf = async (who: keyof Story & string) =>
    TestSocket.ready(service.url, await service.token(ids[who] as string))
  return { fixtures, ids, voices, codes, get, graphql, socketOf }
}
const dataOf = ({ payload }: Frame) => (payload as { data: Record<string, unknown> }).data
const idsIn = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort()
const user = (more: object = {}) => ({ User: { name: 'N', ...more } })

withService(
  'examples/helpdesk',
  (running) => {
    const member = (organization: string, who: string, role: string) => ({
      Membership: { organization: `{${organization}}`, user: `{${who}}`, role },
    })
    const ticket = (number: number, more: object = {}) => ({
      Ticket: { organization: '{acme}', number, subject: `S${number}`, body: 'B', requester: '{cat}', ...more },
    })
    const people = {
      ann: user(),
      bob: user({ name: 'Bob' }),
      cat: user(),
      sue: user({ role: 'SUPPORT' }),
      adam: user({ role: 'ADMIN' }),
      acme: { Organization: { name: 'Acme', slug: 'acme-{word}' } },
      umbra: { Organization: { name: 'Umbra', slug: 'umbra-{word}' } },
      annOwns: member('acme', 'ann', 'OWNER'),
      annBuys: member('umbra', 'ann', 'CUSTOMER'),
      bobWorks: member('acme', 'bob', 'AGENT'),
      catBuys: member('acme', 'cat', 'CUSTOMER'),
      printer: ticket(1),
      chair: ticket(2, { requester: '{bob}' }),
      far: ticket(1, { organization: '{umbra}', requester: '{ann}' }),
      billing: { Tag: { organization: '{acme}', name: 'billing' } },
      hardware: { Tag: { organization: '{acme}', name: 'hardware' } },
      theirs: { Tag: { organization: '{umbra}', name: 'billing' } },
    }
    const begin = () => storyOf(running(), people)
    const rename = { subject: 'renamed' }

    test('a user of two organizations is OWNER in one and CUSTOMER in the other, and each record knows which', async () => {
      const { ids, codes } = await begin()
      assert.equal(await codes('ann', (voice) => voice.change('Ticket', ids.chair, rename)), null)
      assert.equal(await codes('ann', (voice) => voice.change('Ticket', ids.far, rename)), 'FORBIDDEN')
      assert.equal(await codes('ann', (voice) => voice.remove('Organization', ids.umbra)), 'FORBIDDEN')
    })

    test('ADMIN sees no ticket of any organization; SUPPORT reads all and changes none', async () => {
      const { ids, codes, voices } = await begin()
      for (const id of [ids.printer, ids.far]) {
        assert.equal(await codes('adam', (voice) => voice.read('Ticket', id)), 'NOT_FOUND')
        assert.equal(await codes('sue', (voice) => voice.read('Ticket', id)), null)
        assert.equal(await codes('sue', (voice) => voice.change('Ticket', id, rename)), 'FORBIDDEN')
        assert.equal(await codes('sue', (voice) => voice.remove('Ticket', id)), 'FORBIDDEN')
      }
      for (const voice of voices('adam')) assert.deepEqual((await voice.list('Ticket')).data, [])
    })

    test('a customer never learns of an internal note', async () => {
      const { ids, codes, voices, get, graphql, socketOf } = await begin()
      const socket = await socketOf('cat')
      socket.subscribe('1', `subscription { messageAdded(ticketId: "${ids.printer}") { body } }`)
      await socket.settled()
      const say = async (body: string, internal: boolean) =>
        (await voices('bob')[0]!.create('Message', { ticketId: ids.printer, body, internal })).data.id as string
      const note = await say('a xylophone burns', true)
      const shown = await say('we are on our way', false)
      assert.deepEqual(dataOf(await socket.next()), { messageAdded: { body: 'we are on our way' } })
      await socket.close()
      assert.equal(await codes('cat', (voice) => voice.read('Message', note)), 'NOT_FOUND')
      assert.equal(await codes('bob', (voice) => voice.read('Message', note)), null)
      for (const [who, seen, found] of [
        ['cat', [shown], []],
        ['bob', [note, shown].sort(), [ids.printer]],
      ] as const) {
        for (const voice of voices(who))
          assert.deepEqual(idsIn((await voice.below('Ticket', ids.printer, 'messages')).data), seen)
        assert.deepEqual(idsIn((await get(who, 'tickets?q=xylophone')).data), found)
        const { messages, tickets, ticketList } = await graphql(
          who,
          `{ messages(first: 9, filter: { organizationId: "${ids.acme}" }) { totalCount }
             tickets(first: 9, search: "xylophone") { totalCount }
             ticketList(where: { messages: { some: { authorId: { eq: "${ids.bob}" } } } }) { id } }`,
        )
        assert.deepEqual([messages.totalCount, tickets.totalCount], [seen.length, found.length])
        assert.deepEqual(idsIn(ticketList), [ids.printer])
      }
      await voices('bob')[1]!.remove('Message', shown)
    })

    test('an author of internal notes alone is found by nobody who may not read them', async () => {
      const { ids, voices, get, graphql } = await begin()
      await voices('bob')[0]!.create('Message', { ticketId: ids.printer, body: 'hush', internal: true })
      const where = `messages.author : "${ids.bob}"`
      for (const [who, found] of [
        ['cat', []],
        ['bob', [ids.printer]],
      ] as const) {
        assert.deepEqual(idsIn((await get(who, `tickets?where=${encodeURIComponent(where)}`)).data), found)
        const { ticketList } = await graphql(who, 'query ($w: String!) { ticketList(whereText: $w) { id } }', {
          w: where,
        })
        assert.deepEqual(idsIn(ticketList), found)
      }
    })

    test('two organizations have a ticket number 1 each, and each number is given once, under 50 writers at once', async () => {
      const { ids, voices } = await storyOf(running(), {
        ann: user(),
        one: { Organization: { name: 'One', slug: 'one-{word}' } },
        two: { Organization: { name: 'Two', slug: 'two-{word}' } },
        owns: member('one', 'ann', 'OWNER'),
        buys: member('two', 'ann', 'CUSTOMER'),
      })
      const made = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const organizationId = index % 4 < 2 ? ids.one : ids.two
          const { data } = await voices('ann')[index % 2]!.create('Ticket', { organizationId, subject: 's', body: 'b' })
          return data as { readonly organizationId: string; readonly number: number }
        }),
      )
      for (const organization of [ids.one, ids.two]) {
        const numbers = made.flatMap(({ organizationId, number }) => (organizationId === organization ? number : []))
        const inOrder = numbers.toSorted((one, other) => one - other)
        assert.deepEqual(
          inOrder,
          numbers.map((_, index) => index + 1),
        )
      }
    })

    test('a saved view is a stored text, and is one request of one statement', async () => {
      const { ids, voices, get, graphql } = await begin()
      const [rest, inGraphql] = voices('bob')
      assert.equal((await rest!.change('Ticket', ids.printer, { tagIds: [ids.billing], priority: 'HIGH' })).code, null)
      const far = await inGraphql!.change('Ticket', ids.chair, { tagIds: [ids.hardware], priority: 'URGENT' })
      assert.equal(far.code, null)
      const text =
        'status = "open" AND (priority >= "HIGH" OR due_at < now) AND assignee != me AND tags.name : "billing"'
      const ask = {
        REST: async () =>
          (await get('bob', `tickets?fields=id,subject&limit=20&where=${encodeURIComponent(text)}`)).data,
        GraphQL: async () =>
          (await graphql('bob', 'query ($w: String!) { ticketList(whereText: $w) { id } }', { w: text })).ticketList,
      }
      for (const face of faceNames) {
        assert.deepEqual(idsIn(await ask[face]()), [ids.printer])
        const { statements } = await overhear(running(), ask[face])
        assert.equal(statements.length, 1, statements.map(({ statement }) => statement.sql).join('\n'))
      }
    })

    test('only agents can be assigned, of the organization of the ticket', async () => {
      const { ids, codes, voices } = await begin()
      const assign = (assignee: string | null) =>
        codes('bob', (voice) => voice.move('assign', 'Ticket', ids.printer, { assigneeId: assignee }))
      assert.equal(await assign(ids.bob), null)
      assert.equal(await assign(ids.ann), null)
      assert.equal(await assign(ids.cat), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await assign(ids.sue), 'BUSINESS_RULE_VIOLATION')
      assert.equal(await assign(null), 'BUSINESS_RULE_VIOLATION')
      for (const voice of voices('bob'))
        assert.equal(
          (await voice.move('assign', 'Ticket', ids.printer, { assigneeId: ids.cat })).message,
          'Only agents can be assigned.',
        )
    })

    test('who hears that a ticket is assigned hears to whom it was before, and of nothing else', async () => {
      const { ids, voices, socketOf } = await begin()
      const [customer, outsider] = [await socketOf('cat'), await socketOf('adam')]
      for (const socket of [customer, outsider]) {
        socket.subscribe(
          '1',
          'subscription { ticketAssigned { ticket { id assignee { id } } previous { assigneeId } } }',
        )
        await socket.settled()
      }
      const assign = async (face: 0 | 1, to: string) =>
        assert.equal((await voices('bob')[face]!.move('assign', 'Ticket', ids.printer, { assigneeId: to })).code, null)
      const hears = async (to: string, from: string | null) =>
        assert.deepEqual(dataOf(await customer.next()), {
          ticketAssigned: { ticket: { id: ids.printer, assignee: { id: to } }, previous: { assigneeId: from } },
        })
      await assign(0, ids.bob)
      await hears(ids.bob, null)
      await assign(1, ids.bob)
      await assign(1, ids.ann)
      await hears(ids.ann, ids.bob)
      await running().settled()
      for (const socket of [customer, outsider]) {
        await socket.settled()
        await socket.close()
      }
    })

    test('tags of its own organization are put on a ticket, and no others', async () => {
      const { ids, codes, voices, get, graphql } = await begin()
      for (const [index, tags] of [[ids.billing, ids.hardware], [ids.hardware]].entries()) {
        assert.equal((await voices('bob')[index]!.change('Ticket', ids.printer, { tagIds: tags })).code, null)
        assert.deepEqual((await get('cat', `tickets/${ids.printer}`)).data.tag_ids, tags.toSorted())
        const { ticket: read } = await graphql('cat', `{ ticket(id: "${ids.printer}") { tags { id tickets { id } } } }`)
        assert.deepEqual(idsIn(read.tags), tags.toSorted())
        for (const tag of read.tags) assert.deepEqual(idsIn(tag.tickets), [ids.printer])
      }
      const put = (...tagIds: readonly string[]) =>
        codes('ann', (voice) => voice.change('Ticket', ids.printer, { tagIds }))
      assert.equal(await put(ids.theirs), 'BUSINESS_RULE_VIOLATION')
    })

    test('an invitation is accepted once, by whoever holds its code, before it expires; accepting makes the membership', async () => {
      for (const face of faceNames) {
        const { fixtures, ids, voices } = await storyOf(running(), { ...people, guest: user() })
        const invite = () =>
          voices('ann')[0]!.create('Invitation', { organizationId: ids.acme, email: 'g@example.com', role: 'AGENT' })
        const accept = (id: string, code?: string) =>
          speak(face, running(), {
            as: '{guest}',
            fixtures,
            ...(code === undefined ? {} : { headers: { 'X-Access-Code': code } }),
          }).move('accept', 'Invitation', id)
        const codeOf = async () => {
          const { body } = await running().send('POST /api/v1/invitations', {
            as: '{ann}',
            fixtures,
            body: { organization_id: ids.acme, email: 'g@example.com', role: 'AGENT' },
          })
          return body.data as { readonly id: string; readonly code: string }
        }
        assert.equal((await invite()).code, null)
        const [first, late] = [await codeOf(), await codeOf()]
        assert.notEqual((await accept(first.id)).code, null)
        assert.notEqual((await accept(first.id, late.code)).code, null)
        assert.equal((await voices('guest')[0]!.read('Ticket', ids.printer)).code, 'NOT_FOUND')
        assert.equal((await accept(first.id, first.code)).code, null)
        assert.equal((await voices('guest')[0]!.read('Ticket', ids.printer)).code, null)
        assert.notEqual((await accept(first.id, first.code)).code, null)
        running().advance(8 * 24 * 3_600_000)
        running().forgetTokens()
        assert.notEqual((await accept(late.id, late.code)).code, null)
      }
    })
  },
  { definition: companyHelpdesk, limits: quiet },
)

withService(
  'examples/social',
  (running) => {
    const people = {
      ann: user(),
      ben: user(),
      cat: user(),
      hello: { Post: { author: '{ann}', text: 'Hello' } },
      other: { Post: { author: '{ann}', text: 'Other' } },
      said: { Comment: { post: '{hello}', author: '{ben}', text: 'one' } },
      answered: { Comment: { post: '{hello}', parent: '{said}', author: '{ann}', text: 'two' } },
      again: { Comment: { post: '{hello}', parent: '{answered}', author: '{ben}', text: 'three' } },
    }
    const begin = () => storyOf(running(), people)

    test('a reply belongs to the post of what it answers', async () => {
      const { ids, codes, voices } = await begin()
      const reply = (postId: string, parentId: string | null) =>
        codes('cat', (voice) => voice.create('Comment', { postId, parentId, text: 'hm' }))
      assert.equal(await reply(ids.hello, null), null)
      assert.equal(await reply(ids.hello, ids.said), null)
      assert.equal(await reply(ids.other, ids.said), 'BUSINESS_RULE_VIOLATION')
      for (const voice of voices('cat')) {
        const { message } = await voice.create('Comment', { postId: ids.other, parentId: ids.said, text: 'hm' })
        assert.equal(message, 'A reply belongs to the post of what it answers.')
      }
    })

    test('a thread is read by one query, three levels deep, in one statement a level', async () => {
      const { ids, graphql } = await begin()
      const query = `{ comment(id: "${ids.said}") { text replies { text replies { text } } } }`
      const read = () => graphql('cat', query)
      assert.deepEqual((await read()).comment, {
        text: 'one',
        replies: [{ text: 'two', replies: [{ text: 'three' }] }],
      })
      const { statements } = await overhear(running(), read)
      assert(statements.length <= 3, `${statements.length} statements`)
    })

    test('likes are counted exactly under 100 likers at once, and a second like is 409', async () => {
      const likers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`liker-${index}`, user()]))
      const { ids, voices, get, graphql } = await storyOf(running(), { ...people, ...likers })
      const names = Object.keys(likers) as (keyof typeof likers & keyof typeof ids)[]
      for (const name of names) await running().token(ids[name]!)
      const codes = await Promise.all(
        names.map(async (name, index) => (await voices(name)[index % 2]!.create('Like', { postId: ids.hello })).code),
      )
      assert.deepEqual(new Set(codes), new Set([null]))
      for (const voice of voices(names[0]!))
        assert.equal((await voice.create('Like', { postId: ids.hello })).code, 'CONFLICT')
      assert.equal((await get('ann', `posts/${ids.hello}`)).data.likes_count, 100)
      assert.equal((await graphql('ann', `{ post(id: "${ids.hello}") { likesCount } }`)).post.likesCount, 100)
    })

    test('changing a post from EVERYONE to FOLLOWERS takes it from those who do not follow, on open sockets too', async () => {
      for (const face of [0, 1]) {
        const { ids, voices, socketOf, codes } = await begin()
        assert.equal((await voices('ben')[0]!.move('follow', 'User', ids.ann)).code, null)
        const [follower, stranger] = [await socketOf('ben'), await socketOf('cat')]
        for (const socket of [follower, stranger]) {
          socket.subscribe('1', `subscription { commented(postId: "${ids.hello}") { text } }`)
          await socket.settled()
        }
        await voices('ann')[face]!.change('Post', ids.hello, { audience: 'FOLLOWERS' })
        const frame = await stranger.next()
        assert.deepEqual([frame.type, codesOf(frame)], ['error', ['NOT_FOUND']])
        assert.equal(await codes('cat', (voice) => voice.read('Post', ids.hello)), 'NOT_FOUND')
        await voices('ann')[face]!.create('Comment', { postId: ids.hello, parentId: null, text: 'only us' })
        assert.deepEqual(dataOf(await follower.next()), { commented: { text: 'only us' } })
        for (const socket of [follower, stranger]) await socket.close()
      }
    })

    test('a subscription to notifications tells each of theirs only, and asks for no id', async () => {
      const { ids, voices, socketOf } = await begin()
      const [author, liker] = [await socketOf('ann'), await socketOf('cat')]
      for (const socket of [author, liker]) {
        socket.subscribe('1', 'subscription { notified { kind post { id } to { id } } }')
        await socket.settled()
      }
      for (const [voice, post] of [
        [voices('cat')[0]!, ids.hello],
        [voices('cat')[1]!, ids.other],
      ] as const) {
        assert.equal((await voice.create('Like', { postId: post })).code, null)
        const notified = { kind: 'LIKED', post: { id: post }, to: { id: ids.ann } }
        assert.deepEqual(dataOf(await author.next()), { notified })
      }
      await liker.reached()
      for (const socket of [author, liker]) await socket.close()
    })
  },
  {
    definition: social,
    reactions: socialReactions,
    limits: { eventPollMs: 50, noticesMs: 2 ** 31 - 1, holderWatchMs: 50 },
  },
)

withService(
  'examples/shop',
  (running) => {
    const product = { name: 'P', price: '1.00', currency: 'EUR', taxRate: '0.19', stock: 3, attributes: {} }
    const people = {
      cat: user({ role: 'CUSTOMER' }),
      kim: user({ role: 'KEEPER' }),
      pen: { Product: { ...product, sku: 'pen-{word}' } },
    }
    const begin = () => storyOf(running(), people)
    const invoice = (customerId: string, lines: readonly object[], issuedOn = '2026-11-22') => ({
      customerId,
      issuedOn,
      currency: 'EUR',
      lines,
    })

    test('0.1 + 0.2 is 0.30, and issued invoices are numbered without a gap by 50 writers at once', async () => {
      const { ids, voices } = await begin()
      const line = (quantity: string) => ({ productId: ids.pen, quantity, unitPrice: '0.10', taxRate: '0.1900' })
      const drafts = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          voices('kim')[index % 2]!.create('Invoice', invoice(ids.cat, [line('1'), line('2')])),
        ),
      )
      const empty = await voices('kim')[0]!.create('Invoice', invoice(ids.cat, []))
      const issued = await Promise.all(
        [...drafts, empty].map(({ data }, index) => voices('kim')[index % 2]!.move('issue', 'Invoice', data.id)),
      )
      assert.equal(issued.pop()!.code, 'BUSINESS_RULE_VIOLATION', 'what is refused takes no number')
      const numbers = issued.map(({ data }) => data.number as number).sort((one, other) => one - other)
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      )
      for (const { data } of issued) assert.deepEqual([data.net, data.tax, data.total], ['0.30', '0.06', '0.36'])
    })

    test('an invoice of 100 lines is one request, and a wrong line is told by its place', async () => {
      const { fixtures, ids } = await begin()
      for (const face of faceNames) {
        const isRest = face === 'REST'
        const create = (wrong: number | null) => {
          const lines = Array.from({ length: 100 }, (_, index) => ({
            [isRest ? 'product_id' : 'productId']: ids.pen,
            quantity: index === wrong ? '0' : '1',
            [isRest ? 'unit_price' : 'unitPrice']: '1.00',
            [isRest ? 'tax_rate' : 'taxRate']: '0.1900',
          }))
          const question = { as: '{kim}', fixtures } as const
          if (isRest) {
            const body = { customer_id: ids.cat, issued_on: '2028-02-29', currency: 'EUR', lines }
            return running().send('POST /api/v1/invoices', { ...question, body })
          }
          const query = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id issuedOn } }'
          return running().graphql(query, { ...question, variables: { input: invoice(ids.cat, lines, '2028-02-29') } })
        }
        const count = async () => (await running().tables('invoices', 'invoice_lines')).length
        const before = await count()
        const refused = await create(57)
        const { details } = isRest ? refused.body.error : refused.body.errors[0].extensions
        assert.deepEqual(
          details.map(({ field }: { field: string }) => field),
          ['lines[57].quantity'],
        )
        assert.equal(await count(), before)
        const made = await create(null)
        assert.equal(
          isRest ? made.body.data.issued_on : made.body.data?.createInvoice.issuedOn,
          '2028-02-29',
          made.text,
        )
        assert.equal(await count(), before + 101)
      }
    })

    test('a draft is changed with its lines, all at once, and an invoice that was issued is not', async () => {
      const { ids, voices, codes, get } = await begin()
      const line = (quantity: string) => ({ productId: ids.pen, quantity, unitPrice: '0.10', taxRate: '0.0000' })
      for (const voice of voices('kim')) {
        const { data: draft } = await voice.create('Invoice', invoice(ids.cat, [line('1'), line('2')]))
        const linesOf = async () => (await get('kim', `invoices/${draft.id}/lines?sort=position`)).data
        const [kept, left] = await linesOf()
        const lines = [{ id: kept.id, quantity: '5' }, line('3')]
        assert.equal((await voice.change('Invoice', draft.id, { dueOn: '2026-12-22', lines })).code, null)
        const after = await linesOf()
        assert.deepEqual(
          after.map(({ position, quantity, net }: Record<string, unknown>) => [position, quantity, net]),
          [
            [1, '5.000', '0.50'],
            [3, '3.000', '0.30'],
          ],
        )
        assert.deepEqual([after[0].id, after.some(({ id }: { id: string }) => id === left.id)], [kept.id, false])
        const wrong = { lines: [{ id: kept.id, quantity: '6' }, { id: left.id }] }
        assert.equal((await voice.change('Invoice', draft.id, wrong)).code, 'BUSINESS_RULE_VIOLATION')
        assert.equal((await linesOf())[0].quantity, '5.000', 'all or nothing')
        assert.equal((await voice.move('issue', 'Invoice', draft.id)).data.total, '0.80')
        assert.equal(await codes('kim', (each) => each.change('Invoice', draft.id, { lines: [] })), 'FORBIDDEN')
        assert.equal((await linesOf()).length, 2)
      }
    })

    test('a price of 9,999,999,999.99 comes back as it was sent, and a day that there is not is 400', async () => {
      const { ids, codes, voices } = await begin()
      for (const [index, voice] of voices('kim').entries()) {
        const { data } = await voice.create('Product', {
          ...product,
          sku: `dear-${index}-${ids.pen}`,
          price: '9999999999.99',
        })
        for (const reader of voices('cat'))
          assert.equal((await reader.read('Product', data.id)).data.price, '9999999999.99')
      }
      const make = (day: string) => codes('kim', (voice) => voice.create('Invoice', invoice(ids.cat, [], day)))
      assert.equal(await make('2028-02-29'), null)
      assert.equal(await make('2027-02-29'), 'VALIDATION_ERROR')
    })

    test('monthly revenue is one request on both faces, exact to the cent', async () => {
      const { ids, voices, get, graphql } = await storyOf(running(), { ...people, buyer: user({ role: 'CUSTOMER' }) })
      for (const [index, day] of ['2026-10-31', '2026-11-01', '2026-11-30'].entries()) {
        const lines = [{ productId: ids.pen, quantity: '3', unitPrice: '0.10', taxRate: '0.0000' }]
        const { data } = await voices('kim')[index % 2]!.create('Invoice', invoice(ids.buyer, lines, day))
        assert.equal((await voices('kim')[index % 2]!.move('issue', 'Invoice', data.id)).code, null)
      }
      const where = encodeURIComponent(`customer = "${ids.buyer}"`)
      const { data } = await get('kim', `invoices/summary?group_by=issued_on:month&where=${where}`)
      const months = data.map((each: { issued_on: string; count: number; sum: { total: string } }) => [
        each.issued_on,
        each.count,
        each.sum.total,
      ])
      assert.deepEqual(months.sort(), [
        ['2026-10', 1, '0.30'],
        ['2026-11', 2, '0.60'],
      ])
      const { invoiceSummary } = await graphql(
        'kim',
        `{ invoiceSummary(groupBy: [ISSUED_ON_MONTH], where: { customerId: { eq: "${ids.buyer}" } }) { nodes { issuedOn count sum { total } } } }`,
      )
      const same = invoiceSummary.nodes.map((each: { issuedOn: string; count: number; sum: { total: string } }) => [
        each.issuedOn,
        each.count,
        each.sum.total,
      ])
      assert.deepEqual(same.sort(), months)
    })

    test('an export has every issued invoice in the order of their numbers, for those who may read all', async () => {
      const { ids, voices } = await begin()
      const totals = new Map<number, string>()
      for (let index = 0; index < 250; index++) {
        const lines = [{ productId: ids.pen, quantity: '1', unitPrice: `${index}.01`, taxRate: '0.0000' }]
        const voice = voices('kim')[index % 2]!
        const { data: draft } = await voice.create('Invoice', invoice(ids.cat, lines))
        if (index % 5 === 0) continue
        const { data: issued } = await voice.move('issue', 'Invoice', draft.id)
        totals.set(issued.number, issued.total)
      }
      const ask = async (who: 'kim' | 'cat') =>
        running().client.send('GET /api/v1/reports/invoices.csv', {
          headers: { Authorization: `Bearer ${await running().token(ids[who])}` },
        })
      const { status, text } = await ask('kim')
      assert.equal(status, 200)
      const [head, ...rows] = text.trimEnd().split('\n')
      assert.equal(head, 'number,issued_on,total')
      const numbers = rows.map((row) => Number(row.split(',')[0]))
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      )
      for (const [number, total] of totals) assert.equal(rows[number - 1], `${number},2026-11-22,${total}`)
      assert.equal((await ask('cat')).status, 403)
    })
  },
  { definition: shop, routes: [shopExport] },
)
