// How many connections this process holds, and how many of them one address may have.

import type { Limits } from '../../limits.ts'
import type { TrustProxy } from './address.ts'

export interface ConnectionLimit {
  /** False where there is no room for one more from there. What was let in must `leave`. */
  enter(peer: string): boolean
  leave(peer: string): void
}

export interface ConnectionLimitGiven {
  readonly limits: Pick<Limits, 'connections' | 'connectionsPerAddress'>
  /** Whoever speaks for many clients may have many connections. */
  readonly trustProxy: TrustProxy
}

export function createConnectionLimit({ limits, trustProxy }: ConnectionLimitGiven): ConnectionLimit {
  let all = 0
  const byPeer = new Map<string, number>()
  return {
    enter(peer) {
      const ofPeer = byPeer.get(peer) ?? 0
      if (all >= limits.connections) return false
      if (ofPeer >= limits.connectionsPerAddress && !trustProxy(peer)) return false
      all++
      byPeer.set(peer, ofPeer + 1)
      return true
    },
    leave(peer) {
      all--
      const left = byPeer.get(peer)! - 1
      if (left === 0) byPeer.delete(peer)
      else byPeer.set(peer, left)
    },
  }
}
