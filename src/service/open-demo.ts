// Fills a new, empty database with demo data, and finds what the documents may show of it.

import type { Cipher } from '../action/encrypted-value.ts'
import type { Authentication } from '../authentication/authentication.ts'
import { type DemoExamples, readDemoExamples } from './demo-examples.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import { seedDemo } from './seed.ts'

export interface DemoData {
  /** True where this start filled an empty database. */
  readonly isSeeded: boolean
  /** Resolves to null in production, and where the database was filled with anything else. */
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
