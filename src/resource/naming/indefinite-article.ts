// Chooses between `a` and `an` before a name.

/** `a text`, `an object`, `an ApiKey`, `a User`. Judged by letters. */
export const a = (word: string): string => `${startsWithVowel.test(word) ? 'an' : 'a'} ${word}`

// `one`, `euro`, `user` and `unit` sound like consonants, unlike `update` and `unread`; `hour` sounds like a vowel.
const startsWithVowel = /^(?:[ai]|e(?!u)|o(?!nc?e\b)|u(?:[bdglmp]|n(?!i))|hour|honest)/i
