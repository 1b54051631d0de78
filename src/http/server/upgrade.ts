// Decides which requests are upgrades. A client may request another protocol, such as HTTP/2, and must be answered in this one (RFC
// 9110 7.8). Node before 24.9 treats all of them as upgrades.

import type { IncomingMessage, ServerOptions } from 'node:http'
import { http } from '../../dependency/node-http.ts'

export function upgradeOptions(upgrades: boolean): ServerOptions {
  const isUpgrade = ({ method, headers }: IncomingMessage): boolean =>
    upgrades && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  if (!canChooseUpgrades) return { IncomingMessage: requestWhere(isUpgrade) }
  const options: object = { shouldUpgradeCallback: isUpgrade }
  return options
}

const canChooseUpgrades = 'shouldUpgradeCallback' in http.createServer()

/** Requests that override node:http's decision, which it makes before method and headers are known, and checks later. */
function requestWhere(isUpgrade: (request: IncomingMessage) => boolean): typeof http.IncomingMessage {
  return class extends http.IncomingMessage {
    declare _upgrade: boolean | null
    get upgrade(): boolean | null {
      return this._upgrade && (this.method === 'CONNECT' || isUpgrade(this))
    }
    set upgrade(value) {
      this._upgrade = value
    }
  }
}
