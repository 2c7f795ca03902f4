import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import type { Language } from '~/shared/language'
import { Page } from './Page'
import { type KnownLanguage, paperLanguage } from './paperLanguage'
import type { Paper } from './paperSearch'
import { Printed } from './Printed'
import { withSearch } from './search'

type Props = Pick<ComponentProps<typeof Page>, 'title' | 'lead' | 'crumbs'> & {
  viewer: { language: Language; timeZone: string }
  search: { language?: Language; paper?: Paper }
  /** The size that fits what is printed; the user can choose the other one. */
  usual?: Paper
  isLandscape?: boolean
  patientIds: readonly string[]
  /** The language of the patient of the paper, and a note about it. */
  spoken?: KnownLanguage
  note?: (language: Language) => ReactNode
  /** What is chosen for the sheet, above it and not on paper. */
  choices?: ReactNode
  children: ReactNode
}

/** A page that is there to be printed; the address keeps the language and the size of the paper. */
export function PrintPage({
  viewer,
  search,
  usual = 'A4',
  isLandscape = false,
  patientIds,
  spoken,
  note,
  choices,
  children,
  ...page
}: Props) {
  const navigate = useNavigate()
  const language = paperLanguage(search.language, spoken, viewer.language)
  const choose = (chosen: Props['search']) =>
    void navigate({
      to: '.',
      search: withSearch(chosen),
      replace: true,
    })
  return (
    <Page {...page}>
      {choices}
      <Printed
        patientIds={patientIds}
        language={language}
        note={note?.(language)}
        timeZone={viewer.timeZone}
        onLanguage={(chosenLanguage) => choose({ language: chosenLanguage })}
        paper={isLandscape ? 'landscape' : (search.paper ?? usual)}
        onPaper={isLandscape ? undefined : (paper) => choose({ paper })}
      >
        {children}
      </Printed>
    </Page>
  )
}
