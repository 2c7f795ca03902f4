import { programName } from './programs'
import { useLanguage } from '~/shared/say'

/** The name of a program by its code. */
export const ProgramName = ({ code }: { code: string }) => programName(code, useLanguage())
