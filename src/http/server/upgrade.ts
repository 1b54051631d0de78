// Which requests are upgrades. A client may ask for another protocol, such as HTTP/2, and has to be answered in this one where
// nobody speaks it (RFC 9110 7.8): Node asks since 24.9, and takes all of them for upgrades before.

import { createServer, IncomingMessage, type ServerOptions } from 'node:http'

/** Options for a server of node:http with which only WebSockets are upgrades, and nothing where `upgrades` is false. */
export function upgradeOptions(upgrades: boolean): ServerOptions {
  const isUpgrade = ({ method, headers }: IncomingMessage): boolean =>
    upgrades && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  if (!asksWhichUpgrade) return { IncomingMessage: requestWhere(isUpgrade) }
  const options: object = { shouldUpgradeCallback: isUpgrade }
  return options
}

const asksWhichUpgrade = 'shouldUpgradeCallback' in createServer()

/** Requests that deny to be what node:http takes them for. It says so before the method and the headers are there, and asks later. */
function requestWhere(isUpgrade: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  return class extends IncomingMessage {
    declare _upgrade: boolean | null
    get upgrade(): boolean | null {
      return this._upgrade && (this.method === 'CONNECT' || isUpgrade(this))
    }
    set upgrade(value) {
      this._upgrade = value
    }
  }
}
