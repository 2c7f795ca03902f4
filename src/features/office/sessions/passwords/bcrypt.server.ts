/** A hash of the usual cost that no password fits. */
const decoy = `$2b$10$${'.'.repeat(22)}${'A'.repeat(31)}`

/**
 * Whether it is the password of a hash of the former server (docs/exchange.md, "Passwords"): the bytes as they are
 * typed, else in NFKC. bcrypt reads 72 bytes.
 */
export async function isBcryptPassword(password: string, stored: string | null): Promise<boolean> {
  // loaded only while a hash of a former server is kept
  const { compare } = await import('bcryptjs')
  const normal = password.normalize('NFKC')
  const isRight =
    (await compare(password, stored ?? decoy)) ||
    (normal !== password && (await compare(normal, stored ?? decoy)))
  return isRight && stored !== null
}
