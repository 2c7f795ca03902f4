import { Button, Menu } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { HttpFailure } from '~/shared/httpFailure'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { explain } from './explain'

type Props = {
  /** `/api/users/export`: told the format, the language and the filter, it answers with the file. */
  from: string
  filter: Readonly<Record<string, string | undefined>>
  language: Language
  /** What the file is called, without its ending. */
  name: string
}

const FORMATS = [
  { format: 'csv', label: 'patientSearch.exportCsv', icon: IconFileText },
  { format: 'xlsx', label: 'patientSearch.exportXlsx', icon: IconFileSpreadsheet },
] as const

/** Saves what a list's filter shows as a file. */
export function SaveAsFile({ from, filter, language, name }: Props) {
  const say = useSay()
  const [isBusy, setIsBusy] = useState(false)

  async function save(format: 'csv' | 'xlsx') {
    setIsBusy(true)
    try {
      const query = new URLSearchParams({ format, language })
      for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, value)
      const response = await fetch(`${from}?${query}`)
      if (!response.ok) throw new HttpFailure(response.status, response.headers.get('x-request-id'))
      offer(await response.blob(), `${name}.${format}`)
      toast.success(say('patientSearch.exportDone'))
    } catch (error) {
      toast.error(say('patientSearch.exportFailed'), { description: say(explain(error).text) })
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isBusy} leftSection={<IconDownload size={16} aria-hidden />}>
          {say('patientSearch.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ format, label, icon: Icon }) => (
          <Menu.Item key={format} leftSection={<Icon size={16} aria-hidden />} onClick={() => void save(format)}>
            {say(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function offer(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the browser has read it by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
