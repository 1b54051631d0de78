// Started several times at once by a test: brings the database named by its argument to the library's schema, and
// prints how many statements that took.

import { defaultLimits } from '../../../src/limits.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { migrate } from '../../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import { library } from '../domain/library.ts'

const store = await openStore(process.argv[2]!, { limits: defaultLimits, log: console })
const statements = await migrate(store, desiredSchema(compileModel(library), dialectOf(store.engine)))
console.log(statements.length)
await store.close()
