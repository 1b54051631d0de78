// Whether two samples come from one distribution.

/**
 * How far the ranks of one sample lie from those of the other, in standard deviations: near 0 where they are alike, whatever
 * they look like. (Mann-Whitney, without ties)
 */
export function rankDistance(one: readonly number[], other: readonly number[]): number {
  const ranked = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))]
  ranked.sort((left, right) => left.value - right.value)
  const rankSum = ranked.reduce((sum, { isOne }, index) => sum + (isOne ? index + 1 : 0), 0)
  const [n, m] = [one.length, other.length]
  const mean = (n * (n + m + 1)) / 2
  return (rankSum - mean) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
