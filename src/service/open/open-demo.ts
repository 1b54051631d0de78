// Fills an empty database with demo data, and finds examples for the documents.

import type { Cipher } from '../../action/encrypted-value.ts'
import type { Authentication } from '../../authentication/authentication.ts'
import { type DemoExamples, readDemoExamples } from '../start/demo-examples.ts'
import { seedDemo } from '../start/seed.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'

export interface DemoData {
  readonly isSeeded: boolean
  /** Null in production, and if the database has other data. */
  readonly readExamples: () => Promise<DemoExamples | null>
}

export async function openDemo(
  { options: { demo }, configuration, model, clock, cipher }: OpenContext & { readonly cipher: Cipher },
  { store }: Database,
  { hashPassword }: Authentication,
): Promise<DemoData> {
  const isSeeded =
    demo !== undefined && configuration.demoData && (await seedDemo(demo, { model, store, cipher }, hashPassword))
  return { isSeeded, readExamples: () => readDemoExamples(configuration, { demo, model, store, clock }) }
}
