// Three instances send events to webhooks and are killed at random. What their owners may read arrives, nothing else does, and
// every message is signed.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { noticeboard } from '../support/domain/noticeboard.ts'
import { programArguments } from '../support/process/program.ts'
import { type ReceivedMessage, startReceiver } from '../support/server/receiver.ts'
import { startTestService } from '../support/server/service.ts'

export interface Deliveries {
  readonly events: number
  readonly messages: number
  readonly duplicates: number
  readonly kills: number
  readonly seconds: number
}

/** Rejects if an event is missing, or one arrives that its owner may not read. */
export async function deliverThroughKills(events: number, kills: number): Promise<Deliveries> {
  const dataKey = randomBytes(32).toString('base64')
  // It only writes: another definition of the same tables, without workers, would be one more instance.
  const service = await startTestService('postgres', {
    definition: noticeboard,
    environment: { DATA_KEY: dataKey },
    limits: { webhooksAtOnce: 0 },
  })
  const receiver = await startReceiver()
  const program = programArguments('test/support/process/sending-process.ts')
  const children: ChildProcess[] = []
  try {
    const start = async (place: number): Promise<void> => {
      const args = [...program, service.databaseUrl, dataKey]
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      children[place] = child
      await once(createInterface(child.stdout!), 'line')
    }
    await Promise.all([0, 1, 2].map(start))
    const fixtures = service.fixtures({ ann: { User: {} }, ben: { User: {} } })
    const post = async (who: string, line: string, body: object) => {
      const answer = await service.send(line, { as: `{${who}}`, fixtures, body })
      assert.equal(answer.status, 201)
      return answer.body.data
    }
    const secrets = new Map<string, string>()
    for (const who of ['ann', 'ben']) {
      const hook = { url: `${receiver.url}/${who}`, events: ['noteCreated'] }
      secrets.set(`/hook/${who}`, (await post(who, 'POST /api/v2/webhooks', hook)).secret)
    }
    const begunAt = performance.now()
    const wanted = { ann: new Set<string>(), ben: new Set<string>() }
    const author = service.as((await fixtures.idOf('ann')) as never).records
    const write = async (number: number): Promise<void> => {
      const isShared = number % 2 === 0
      const { id } = await author.create(Note, { title: `Note ${number}`, shared: isShared })
      wanted.ann.add(id)
      if (isShared) wanted.ben.add(id)
    }
    const every = Math.max(1, Math.floor(events / kills))
    let done = 0
    for (let number = 0; number < events; number += 20) {
      await Promise.all(Array.from({ length: Math.min(20, events - number) }, (_, at) => write(number + at)))
      while (done < kills && number + 20 >= (done + 1) * every) {
        const place = done++ % 3
        children[place]!.kill('SIGKILL')
        await once(children[place]!, 'exit')
        await start(place)
      }
    }
    const arrived = await allArrived(receiver, wanted)
    for (const message of receiver.messages) requireSigned(message, secrets)
    const seconds = (performance.now() - begunAt) / 1000
    return {
      events,
      messages: receiver.messages.length,
      duplicates: receiver.messages.length - arrived,
      kills: done,
      seconds,
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await receiver.close()
    await service.stop()
  }
}

const Note = noticeboard.resources.Note

/** Returns how many different ones there are. */
async function allArrived(
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  wanted: Readonly<Record<'ann' | 'ben', ReadonlySet<string>>>,
): Promise<number> {
  const seen = { ann: new Set<string>(), ben: new Set<string>() }
  const total = wanted.ann.size + wanted.ben.size
  let read = 0
  for (;;) {
    for (; read < receiver.messages.length; read++) {
      const { path, body } = receiver.messages[read]!
      const who = path.endsWith('/ann') ? 'ann' : 'ben'
      assert(wanted[who].has(body.data.id), `${who} may not read ${body.data.title}`)
      seen[who].add(body.data.id)
    }
    if (seen.ann.size + seen.ben.size === total) return total
    await receiver.arrived(read + 1)
  }
}

function requireSigned({ path, headers, text }: ReceivedMessage, secrets: ReadonlyMap<string, string>): void {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  // `verify` refuses what is older than five minutes, as the first messages of a long run are by its end.
  const own = new StandardWebhook(secrets.get(path)!).sign(id!, new Date(Number(timestamp) * 1000), text)
  assert.equal(signature, own)
}
