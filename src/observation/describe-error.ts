// What the log tells of an error: enough to find it. Drivers hang the values of a row on theirs; those stay out.

export interface DescribedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly cause?: DescribedError | string
  /** The first of several, as when no address of a name answers. */
  readonly first?: DescribedError | string
}

const textMax = 8_192
const causesMax = 5

/** Name, message, stack, code and causes of an error, each bounded; of anything else that was thrown, its text. */
export function describeError(thrown: unknown, depth = 0): DescribedError | string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, textMax)
  const { name, message, stack, cause } = thrown
  const { code } = thrown as { readonly code?: unknown }
  const isDeep = depth === causesMax
  const first = thrown instanceof AggregateError && !isDeep ? thrown.errors[0] : undefined
  return {
    type: name,
    message: message.slice(0, textMax),
    ...(stack === undefined ? {} : { stack: stack.slice(0, textMax) }),
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause === undefined || isDeep ? {} : { cause: describeError(cause, depth + 1) }),
    ...(first === undefined ? {} : { first: describeError(first, depth + 1) }),
  }
}
