// Plurals and singulars of nouns that follow a rule of English. The types have the rules of the functions, so that types know the names.

type Vowel = 'a' | 'e' | 'i' | 'o' | 'u'
type Hissing = 's' | 'x' | 'z' | 'ch' | 'sh'

export type PluralOf<Noun extends string> = Noun extends `${string}${Hissing}`
  ? `${Noun}es`
  : Noun extends `${infer Stem}y`
    ? Stem extends `${string}${Vowel}`
      ? `${Noun}s`
      : `${Stem}ies`
    : `${Noun}s`

export const plural = (noun: string): string =>
  /(?:[sxz]|ch|sh)$/.test(noun) ? `${noun}es` : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`

/** `categories` → `category`, `taxes` → `tax`, `posts` → `post`. What is no plural stays as it is. */
export type SingularOf<Nouns extends string> = Nouns extends `${infer Noun}s`
  ? Nouns extends `${string}${'movies' | 'cookies' | 'caches' | 'auses' | 'ouses'}` | 'uses' | `${string}Uses`
    ? Noun
    : Nouns extends `${infer Stem}ies`
      ? `${Stem}y`
      : Nouns extends `${infer Stem}es`
        ? Stem extends `${string}${'ss' | 'us' | 'ias' | 'x' | 'ch' | 'sh'}`
          ? Stem
          : Noun
        : Nouns extends `${string}ss`
          ? Nouns
          : Noun
  : Nouns

export const singular = (nouns: string): string => {
  if (/(?:movies|cookies|caches|[ao]uses|^uses|Uses)$/.test(nouns)) return nouns.slice(0, -1)
  if (nouns.endsWith('ies')) return `${nouns.slice(0, -3)}y`
  if (/(?:ss|us|ias|x|ch|sh)es$/.test(nouns)) return nouns.slice(0, -2)
  return /[^s]s$/.test(nouns) ? nouns.slice(0, -1) : nouns
}
