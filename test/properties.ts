import fc from 'fast-check'

/**
 * The seed of the generated cases of property tests. One number, so that two runs of the tests on the same
 * sources try the same; `npm run prove -- properties` tries others.
 */
const seed = Number(process.env['SANAD_PROPERTY_SEED'] ?? 1)

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
