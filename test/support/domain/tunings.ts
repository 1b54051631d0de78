// The optimisations of a store, left out one by one and all at once: its answers have to stay the same.

import type { Engine } from '../../../src/store/store.ts'
import { fullTuning, type Tuning } from '../../../src/store/tuning.ts'

const ofEngine: Readonly<Record<Engine, readonly (keyof Tuning)[]>> = {
  sqlite: ['readBatch', 'sharedCommit'],
  postgres: ['batching', 'groupCommit', 'cancellation', 'statistics'],
}

export const noTuning: Tuning = {
  readBatch: false,
  sharedCommit: false,
  batching: false,
  groupCommit: false,
  cancellation: false,
  statistics: false,
}

/** Each optimisation of this engine left out, by its name. */
export const lesserTunings = (engine: Engine): readonly (readonly [name: keyof Tuning, Tuning])[] =>
  ofEngine[engine].map((name) => [name, { ...fullTuning, [name]: false }])
