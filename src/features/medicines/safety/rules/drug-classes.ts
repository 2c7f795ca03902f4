/**
 * Classes within which an allergy to one member speaks against the others. Members are by the WHO's ATC index
 * (https://www.whocc.no/atc_ddd_index/), under their INN; the ATC groups are named beside each class.
 */
const members = {
  // J01CA, CE, CF, CR
  penicillins: `amoxicillin ampicillin bacampicillin benzylpenicillin phenoxymethylpenicillin
    cloxacillin dicloxacillin flucloxacillin oxacillin nafcillin methicillin mecillinam
    pivmecillinam piperacillin ticarcillin temocillin azlocillin mezlocillin carbenicillin
    sultamicillin pivampicillin carindacillin epicillin metampicillin talampicillin sulbenicillin
    hetacillin aspoxicillin propicillin azidocillin pheneticillin penamecillin clometocillin`,
  // J01DB, DC, DD, DE, DI
  cephalosporins: `cefalexin cefadroxil cefazolin cefradine cefalotin cefaclor cefuroxime cefprozil
    cefoxitin cefotetan cefmetazole cefixime cefotaxime ceftriaxone ceftazidime cefpodoxime cefdinir
    cefditoren ceftibuten cefoperazone cefepime cefpirome ceftaroline ceftobiprole cefiderocol
    ceftolozane cefaloridine cefazedone cefatrizine cefapirin cefacetrile cefroxadine ceftezole
    cefamandole cefonicid cefotiam loracarbef ceforanide cefminox cefbuperazone flomoxef cefsulodin
    cefmenoxime latamoxef ceftizoxime cefodizime cefetamet cefpiramide cefcapene cefozopran`,
  // J01DH
  carbapenems: 'meropenem imipenem ertapenem doripenem tebipenem biapenem panipenem',
  // J01E without trimethoprim; silver sulfadiazine contains sulfadiazine (J01EC02); sulfasalazine
  // (A07EC01) is split into sulfapyridine in the gut
  sulfonamides: `sulfamethoxazole sulfadiazine sulfadoxine sulfamerazine sulfadimidine sulfafurazole sulfaguanidine
    sulfacetamide sulfapyridine sulfasalazine sulfamethizole sulfaisodimidine sulfanilamide sulfathiazole sulfathiourea
    sulfamoxole sulfadimethoxine sulfalene sulfametomidine sulfametoxydiazine sulfamethoxypyridazine sulfaperin
    sulfaphenazole sulfamazone sulfametrole silver_sulfadiazine`,
  // M01A without the coxibs, N02BA, N02BB02 and N02BB04: a patient who reacts to one by COX-1 reacts to all
  nsaids: `acetylsalicylic_acid mefenamic_acid tolfenamic_acid tiaprofenic_acid salsalate diflunisal
    choline_salicylate ibuprofen diclofenac naproxen ketoprofen dexketoprofen indometacin piroxicam
    meloxicam tenoxicam lornoxicam ketorolac aceclofenac etodolac sulindac flurbiprofen nabumetone
    nimesulide oxaprozin metamizole acemetacin phenylbutazone fenoprofen fenbufen suprofen
    indoprofen dexibuprofen alminoprofen flunoxaprofen naproxcinod droxicam flufenamic_acid
    meclofenamic_acid niflumic_acid morniflumate azapropazone proquazone feprazone propyphenazone
    carbasalate_calcium`,
  // J01FA
  macrolides: `erythromycin clarithromycin azithromycin roxithromycin spiramycin josamycin telithromycin midecamycin
    oleandomycin troleandomycin miocamycin rokitamycin dirithromycin flurithromycin`,
  // J01MA
  fluoroquinolones: `ciprofloxacin levofloxacin ofloxacin moxifloxacin norfloxacin gemifloxacin
    gatifloxacin delafloxacin pefloxacin enoxacin temafloxacin lomefloxacin fleroxacin sparfloxacin
    rufloxacin grepafloxacin trovafloxacin prulifloxacin pazufloxacin garenoxacin sitafloxacin`,
  // J01A
  tetracyclines:
    'doxycycline tetracycline minocycline oxytetracycline lymecycline tigecycline demeclocycline',
  // J01G; framycetin is neomycin B (https://repub.eur.nl/pub/112322)
  aminoglycosides: `gentamicin amikacin tobramycin streptomycin neomycin kanamycin netilmicin paromomycin framycetin
    sisomicin dibekacin ribostamycin isepamicin arbekacin bekanamycin streptoduocin`,
  // P01AB, J01XD
  nitroimidazoles: 'metronidazole tinidazole secnidazole ornidazole benznidazole',
  // N02A, N01AH, R05DA
  opioids: `morphine codeine dihydrocodeine hydromorphone oxycodone hydrocodone oxymorphone tramadol
    tapentadol pethidine fentanyl methadone buprenorphine nalbuphine nicomorphine ketobemidone
    dextromoramide piritramide dextropropoxyphene pentazocine phenazocine butorphanol tilidine
    dezocine meptazinol alfentanil sufentanil remifentanil`,
  // C09A, the stem -pril(at) of the INN: angio-oedema
  ace_inhibitors: `captopril enalapril lisinopril ramipril perindopril quinapril fosinopril benazepril trandolapril
    cilazapril zofenopril imidapril moexipril enalaprilat`,
  // N03A, those with an aromatic ring
  aromatic_antiepileptics:
    'phenytoin fosphenytoin carbamazepine oxcarbazepine eslicarbazepine phenobarbital primidone lamotrigine',
  // N01BB
  amide_anaesthetics:
    'lidocaine bupivacaine levobupivacaine mepivacaine prilocaine articaine ropivacaine cinchocaine etidocaine',
} as const

export type DrugClass = keyof typeof members
export const DRUG_CLASSES = Object.keys(members) as DrugClass[]

const listed = (text: string) => text.split(/\s+/).map((name) => name.replaceAll('_', ' '))

export const membersOf: Readonly<Record<DrugClass, readonly string[]>> = Object.fromEntries(
  Object.entries(members).map(([name, text]) => [name, listed(text)]),
) as never // fromEntries forgets the names

export const drugClasses = (ingredient: string): DrugClass[] =>
  DRUG_CLASSES.filter((name) => membersOf[name].includes(ingredient))
