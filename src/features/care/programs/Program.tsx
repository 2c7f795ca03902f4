import { programName } from './programs'
import { useLanguage } from '~/shared/say'

export const ProgramName = ({ code }: { code: string }) => programName(code, useLanguage())
