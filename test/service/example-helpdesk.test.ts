// What must hold of the example helpdesk, sentence by sentence, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overhear, quiet } from '../support/check/statement-counter.ts'
import { faceNames, speak } from '../support/client/both-faces.ts'
import { companyHelpdesk } from '../support/domain/example.ts'
import { withService } from '../support/server/service.ts'
import { dataOf, idsIn, storyOf, user } from '../support/server/story.ts'

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

    test('an author of internal notes alone is found by no caller who may not read them', async () => {
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

    test('a subscriber to assignments gets the previous assignee, and nothing else', async () => {
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
        const tagIds: readonly string[] = (await get('cat', `tickets/${ids.printer}`)).data.tag_ids
        assert.deepEqual(tagIds.toSorted(), tags.toSorted())
        const { ticket: read } = await graphql('cat', `{ ticket(id: "${ids.printer}") { tags { id tickets { id } } } }`)
        assert.deepEqual(
          read.tags.map(({ id }: { readonly id: string }) => id),
          tagIds,
        )
        for (const tag of read.tags) assert.deepEqual(idsIn(tag.tickets), [ids.printer])
      }
      const put = (...tagIds: readonly string[]) =>
        codes('ann', (voice) => voice.change('Ticket', ids.printer, { tagIds }))
      assert.equal(await put(ids.theirs), 'BUSINESS_RULE_VIOLATION')
    })

    test('an invitation is accepted once, by a user with its code, before it expires; accepting creates the membership', async () => {
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
  'examples/helpdesk, by the clock',
  (running) => {
    const late = (dueAt: string | null, more: object = {}) => ({
      Ticket: { organization: '{acme}', number: 1, subject: 'S', body: 'B', requester: '{cat}', dueAt, ...more },
    })

    test('a ticket that is open when it is due is breached, once, and its organization is notified', async () => {
      const at = (minutes: number) => new Date(running().now().getTime() + minutes * 60_000).toISOString()
      const { ids, voices, socketOf } = await storyOf(running(), {
        ann: user(),
        cat: user(),
        acme: { Organization: { name: 'Acme', slug: 'acme-{word}' } },
        owns: { Membership: { organization: '{acme}', user: '{ann}', role: 'OWNER' } },
        buys: { Membership: { organization: '{acme}', user: '{cat}', role: 'CUSTOMER' } },
        waits: late(null, { number: 1 }),
        pending: late(null, { number: 2, status: 'pending' }),
        solved: late(null, { number: 3, status: 'solved' }),
      })
      const socket = await socketOf('ann')
      socket.subscribe('1', `subscription { ticketBreached(organizationId: "${ids.acme}") { id breached } }`)
      await socket.settled()
      for (const [index, id] of [ids.waits, ids.pending, ids.solved].entries())
        assert.equal((await voices('ann')[index % 2]!.change('Ticket', id, { dueAt: at(5) })).code, null)
      running().advance(6 * 60_000)
      const breaches = [await socket.next(), await socket.next()].map(
        (frame) => (dataOf(frame) as { readonly ticketBreached: { readonly id: string } }).ticketBreached.id,
      )
      assert.deepEqual(breaches.sort(), [ids.waits, ids.pending].sort())
      for (const voice of [...voices('ann'), ...voices('cat')]) {
        assert.equal((await voice.read('Ticket', ids.solved)).data.breached, false)
        assert.deepEqual(idsIn((await voice.list('Ticket', { breached: true })).data), breaches)
      }
      await socket.close()
    })
  },
  { definition: companyHelpdesk, limits: { duePollMs: 10, eventPollMs: 10 } },
)
