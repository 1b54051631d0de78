// Events of deletes: who could read a record until then is told, with what of it could be read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { on } from 'duet-api'
import { signIn } from '../support/client/subscriber.ts'
import type { Frame, TestSocket } from '../support/client/websocket.ts'
import { Page, shelf } from '../support/domain/shelf.ts'
import { type Caller, withService } from '../support/server/service.ts'

const seen: (string | undefined)[] = []
const ended = on(Page, 'pageDeleted', async ({ record }) => void seen.push(record?.title))

const listen = (folder: string) =>
  `subscription { pageDeleted(folderId: "${folder}") { id title folderId authorId createdAt } }`
const payloadOf = ({ payload }: Frame) =>
  payload as { data: { pageDeleted: Record<string, unknown> } | null; errors?: { extensions: { code: string } }[] }

withService(
  '13.8 Events of deletes',
  (service) => {
    const send = async (as: Caller, line: string, body?: object) => {
      const { status, text, ...answer } = await service().send(line, { as, ...(body === undefined ? {} : { body }) })
      assert(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const idOf = (actor: string) => service().fixtures().idOf(actor)
    const folderOf = async (): Promise<string> => (await send('viewer', 'POST /api/v2/folders', { name: 'F' })).id
    const pageIn = async (folder: string, title: string, sharedWith?: string): Promise<string> => {
      const { id } = await send('viewer', 'POST /api/v2/pages', { folder_id: folder, title })
      if (sharedWith !== undefined)
        await send('viewer', 'POST /api/v2/shares', { page_id: id, user_id: await idOf(sharedWith) })
      return id
    }
    const subscribed = async (name: string, query: string): Promise<TestSocket> => {
      const socket = await signIn(service(), name)
      socket.subscribe('1', query)
      await socket.settled()
      return socket
    }
    const titleIn = async (socket: TestSocket) => payloadOf(await socket.next()).data!.pageDeleted['title']

    test('13.8.1 subscribers who could read it are notified, also by what went with it; no others', async () => {
      const folder = await folderOf()
      const [author, reader, stranger] = [
        await subscribed('viewer', listen(folder)),
        await subscribed('editor', listen(folder)),
        await subscribed('other viewer', listen(folder)),
      ]
      const hidden = await pageIn(folder, 'hidden')
      const shown = await pageIn(folder, 'shown', 'editor')
      const last = await pageIn(folder, 'last', 'other viewer')
      for (const page of [hidden, shown, last]) await send('viewer', `DELETE /api/v2/pages/${page}`)
      for (const title of ['hidden', 'shown', 'last']) assert.equal(await titleIn(author), title)
      const payload = payloadOf(await reader.next()).data!.pageDeleted
      const { createdAt, ...own } = payload
      assert.deepEqual(own, { id: shown, title: 'shown', folderId: folder, authorId: await idOf('viewer') })
      assert(typeof createdAt === 'string')
      assert.equal(await titleIn(stranger), 'last')
      for (const socket of [author, reader, stranger]) await socket.close()
      service().assertLog()
    })

    test('13.8.1 a right that ended before is no right', async () => {
      const folder = await folderOf()
      const reader = await subscribed('editor', listen(folder))
      const page = await pageIn(folder, 'not any more')
      const { id } = await send('viewer', 'POST /api/v2/shares', { page_id: page, user_id: await idOf('editor') })
      await send('viewer', `DELETE /api/v2/shares/${id}`)
      await setTimeout(2)
      await send('viewer', `DELETE /api/v2/pages/${page}`)
      await send('viewer', `DELETE /api/v2/pages/${await pageIn(folder, 'the next', 'editor')}`)
      assert.equal(await titleIn(reader), 'the next')
      await reader.close()
      service().assertLog()
    })

    test('13.8.1 records deleted with another one, and by code, have events too', async () => {
      const [cascading, emptied] = [await folderOf(), await folderOf()]
      const gone = await subscribed('editor', listen(cascading))
      const removed = await subscribed('editor', listen(emptied))
      await pageIn(cascading, 'in the folder', 'editor')
      await pageIn(emptied, 'by code', 'editor')
      await send('viewer', `DELETE /api/v2/folders/${cascading}`)
      await send('viewer', `POST /api/v2/folders/${emptied}/empty`)
      assert.equal(await titleIn(gone), 'in the folder')
      assert.equal(await titleIn(removed), 'by code')
      for (const socket of [gone, removed]) await socket.close()
      service().assertLog()
    })

    test('13.8.2 each sees what that one could see of it, and nothing below it', async () => {
      const folder = await folderOf()
      const query = `subscription { pageDeleted(folderId: "${folder}") { title note } }`
      const [author, reader] = [await subscribed('viewer', query), await subscribed('editor', query)]
      await send('viewer', `DELETE /api/v2/pages/${await pageIn(folder, 'noted', 'editor')}`)
      assert.deepEqual(payloadOf(await author.next()).data, { pageDeleted: { title: 'noted', note: 'for me' } })
      const { data, errors } = payloadOf(await reader.next())
      assert.deepEqual([data, errors?.map((each) => each.extensions.code)], [null, ['FORBIDDEN']])
      reader.subscribe('2', `subscription { pageDeleted(folderId: "${folder}") { shares { id } } }`)
      assert.equal((await reader.next())['type'], 'error')
      for (const socket of [author, reader]) await socket.close()
    })

    test('13.8.3 a reaction is given the record as it was', async () => {
      await send('viewer', `DELETE /api/v2/pages/${await pageIn(await folderOf(), 'reacted to')}`)
      for (let waited = 0; !seen.includes('reacted to') && waited < 500; waited++) await setTimeout(10)
      assert(seen.includes('reacted to'), `${seen}`)
      service().assertLog()
    })
  },
  { definition: shelf, reactions: [ended], limits: { eventPollMs: 10 } },
)
