// `npm run ticks -- 200`: kills instances that often on each database; `npm run ticks -- 200 sqlite` on one.

import type { Engine } from '../../src/store/store.ts'
import { killClocks } from './ticks.ts'

const [kills = '20', ...engines] = process.argv.slice(2)
for (const engine of engines.length > 0 ? engines : ['postgres', 'sqlite']) {
  const { moves, ticks } = await killClocks(engine as Engine, Number(kills))
  process.stdout.write(`${engine}: ${kills} kills, ${moves} moves and ${ticks} ticks, each once.\n`)
}
process.exit()
