// A runner over a store, with nothing around it: it publishes no events, limits no rates, and keeps no real secrets.

import type { Runner } from '../../../src/action/call.ts'
import { createFaces } from '../../../src/action/code/faces.ts'
import type { RunnerContext } from '../../../src/action/context.ts'
import { createRunner } from '../../../src/action/write/run.ts'
import { defaultLimits } from '../../../src/limits.ts'

export const quietRunner = (
  context: Pick<RunnerContext, 'model' | 'store' | 'dialect' | 'plans' | 'clock' | 'newId'>,
): Runner =>
  createRunner({
    ...context,
    limits: defaultLimits,
    cipher: null,
    codeFaces: createFaces({
      versions: context.model.versions,
      dialect: context.dialect,
      limits: defaultLimits,
      cipher: null,
    }),
    secrets: {
      hashPassword: async () => 'hash',
      makeToken: () => ({ token: 'token', hash: 'hash' }),
      fingerprint: (text) => text,
    },
    beforeValidation: () => {},
    afterValidation: () => {},
    *emit() {},
    *changed() {},
    committed: () => {},
  })
