// Recognises RSA moduli of the ROCA vulnerability, which can be factored. (CVE-2017-15361)

const smallPrimes = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
]

/**
 * True if the modulus is a power of 65537 modulo every small prime: always so for vulnerable moduli, for others with a probability
 * below 10⁻⁸.
 */
export function hasRocaForm(modulus: bigint): boolean {
  return smallPrimes.every((prime) => powersOf65537(prime).has(Number(modulus % BigInt(prime))))
}

function powersOf65537(prime: number): ReadonlySet<number> {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return powers
}
