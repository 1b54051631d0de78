// `npm run ticks -- 200`: kills instances that often on each database; `npm run ticks -- 200 sqlite` on one.

import { join } from 'node:path'
import type { Engine } from '../../src/store/store.ts'
import { repository } from '../support/process/command.ts'
import { killClocks } from './ticks.ts'

// Instances that are started again load what is compiled, as in the suite.
process.env['NODE_COMPILE_CACHE'] ??= join(repository, 'node_modules/.cache/compiled')
const [kills = '20', ...engines] = process.argv.slice(2)
for (const engine of engines.length > 0 ? engines : ['postgres', 'sqlite']) {
  const { moves, ticks } = await killClocks(engine as Engine, Number(kills))
  process.stdout.write(`${engine}: ${kills} kills, ${moves} moves and ${ticks} ticks, each once.\n`)
}
process.exit()
