// Plants one mutant in a service of its own: it changes a line of a source as that is loaded. `node --import` runs it first.

import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const { file, from, to } = JSON.parse(process.env['MUTANT']!) as { file: string; from: string; to: string }

const repository = fileURLToPath(new URL('../..', import.meta.url))
const [, ofExample] = /^examples\/[a-z]+(\/.*)$/.exec(file) ?? []

/** An example is a copy in a folder of its own. */
const isMeant = (path: string): boolean =>
  ofExample === undefined ? path === repository + file : !path.startsWith(repository) && path.endsWith(ofExample)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || !isMeant(fileURLToPath(url))) return loaded
    const source = String(loaded.source)
    if (source.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`)
    return { ...loaded, source: source.replace(from, () => to) }
  },
})
