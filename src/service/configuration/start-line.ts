// The first log line of a started service.

import { readFileSync } from 'node:fs'
import { ownRoot } from '../../dependency/own-package.ts'
import { hostUrls } from '../../store/host-urls.ts'
import type { Configuration } from './configuration.ts'

export function startFields(url: string, { databaseUrl }: Pick<Configuration, 'databaseUrl'>): Record<string, string> {
  return { url, version: duetVersion(), node: process.version, database: databaseName(databaseUrl) }
}

export function duetVersion(): string {
  const manifest = readFileSync(new URL('package.json', ownRoot), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Without credentials; the parameters of the URL may contain a password too. */
export function databaseName(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl
  const urls = hostUrls(databaseUrl).map((url) => URL.parse(url))
  const [url] = urls
  return url == null ? 'postgres' : `${url.protocol}//${urls.map((each) => each?.host).join()}${url.pathname}`
}
