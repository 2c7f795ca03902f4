import { Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { api } from '~/client/api'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { offer } from '~/ui/download'
import { SaveAsFile } from '~/ui/SaveAsFile'

type Which = { code: string; clinic_ids: readonly string[]; period: string; number: number }
type Props = { which: Which; name: string; language: Language }

/** The report as a workbook or CSV, and as JSON for DHIS2. */
export function SaveReport({ which, name, language }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { code, clinic_ids, period, number } = which
  const saveJson = () =>
    run(async () => {
      const asked = { code, clinic_ids: [...clinic_ids], period, number }
      const { set } = await api.reports.exportDhis2(asked)
      const blob = new Blob([JSON.stringify(set, null, 2)], { type: 'application/json' })
      offer(blob, `${code} ${period} DHIS2.json`)
    })
  return (
    <Group gap="xs">
      <SaveAsFile
        from="/api/reports/export"
        filter={{ code, clinic_ids: clinic_ids.join(), period, number }}
        language={language}
        name={`${name} ${period}`}
      />
      {clinic_ids.length === 1 && (
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={pending}
          onClick={() => void saveJson()}
        >
          {say('sendings.saveJson')}
        </Button>
      )}
    </Group>
  )
}
