// What tests of subscriptions ask for, and how they read what they are told.

import type { TestService } from '../server/service.ts'
import { type Frame, TestSocket } from './websocket.ts'

export const creations = 'subscription { postCreated { id title author { name } } }'
export const dataOf = ({ payload }: Frame) => (payload as { data: Record<string, Record<string, unknown>> }).data
export const codesOf = ({ payload }: Frame) =>
  (payload as { extensions: { code: string } }[]).map((each) => each.extensions.code)

/** A socket that shows the token of a fixture. */
export async function signIn(service: TestService, name: string): Promise<TestSocket> {
  return TestSocket.ready(service.url, await service.token(await service.fixtures().idOf(name)))
}
