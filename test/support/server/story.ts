// A story: people and records that a test is about, and how people speak of them.

import assert from 'node:assert/strict'
import { faceNames, speak, type Told } from '../client/both-faces.ts'
import { type Frame, TestSocket } from '../client/websocket.ts'
import type { Recipes } from '../rows/fixtures.ts'
import type { TestService } from './service.ts'

/** The people and records of a story, and how people speak of them through both faces, which must agree. */
export async function storyOf<const Story extends Recipes>(service: TestService, story: Story) {
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
export const dataOf = ({ payload }: Frame) => (payload as { data: Record<string, unknown> }).data
export const idsIn = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort()
export const user = (more: object = {}) => ({ User: { name: 'N', ...more } })
