// Limits the connections of this process and of each address.

import type { Limits } from '../../limits.ts'
import type { TrustProxy } from './address.ts'

export interface ConnectionLimit {
  /** False at the limit. Each admitted connection must `leave`. */
  enter(peer: string): boolean
  leave(peer: string): void
}

export interface ConnectionLimitDependencies {
  readonly limits: Pick<Limits, 'connections' | 'connectionsPerAddress'>
  /** A trusted proxy has many clients, so only the total limit applies to it. */
  readonly trustProxy: TrustProxy
}

export function createConnectionLimit({ limits, trustProxy }: ConnectionLimitDependencies): ConnectionLimit {
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
      const ofPeer = byPeer.get(peer)! - 1
      if (ofPeer === 0) byPeer.delete(peer)
      else byPeer.set(peer, ofPeer)
    },
  }
}
