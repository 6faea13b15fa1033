package command

import _ "embed"

// The specs that ship, each a string: they are read where they lie in the program,
// and so are the names that the table keeps of them. An embed.FS would copy them.
var (
	//go:embed specs/archives.spec
	archivesText string
	//go:embed specs/cloud.spec
	cloudText string
	//go:embed specs/compilers.spec
	compilersText string
	//go:embed specs/containers.spec
	containersText string
	//go:embed specs/convert.spec
	convertText string
	//go:embed specs/databases.spec
	databasesText string
	//go:embed specs/devices.spec
	devicesText string
	//go:embed specs/editors.spec
	editorsText string
	//go:embed specs/environment.spec
	environmentText string
	//go:embed specs/files.spec
	filesText string
	//go:embed specs/fileutils.spec
	fileutilsText string
	//go:embed specs/git.spec
	gitText string
	//go:embed specs/languages.spec
	languagesText string
	//go:embed specs/media.spec
	mediaText string
	//go:embed specs/network.spec
	networkText string
	//go:embed specs/node.spec
	nodeText string
	//go:embed specs/patterns.spec
	patternsText string
	//go:embed specs/platforms.spec
	platformsText string
	//go:embed specs/python.spec
	pythonText string
	//go:embed specs/remote.spec
	remoteText string
	//go:embed specs/search.spec
	searchText string
	//go:embed specs/shellutils.spec
	shellutilsText string
	//go:embed specs/system.spec
	systemText string
	//go:embed specs/text.spec
	textText string
	//go:embed specs/textutils.spec
	textutilsText string
	//go:embed specs/toolchains.spec
	toolchainsText string
	//go:embed specs/wrappers.spec
	wrappersText string
	//go:embed specs/zsh.spec
	zshText string
)

var builtinFiles = []File{
	{"archives.spec", archivesText},
	{"cloud.spec", cloudText},
	{"compilers.spec", compilersText},
	{"containers.spec", containersText},
	{"convert.spec", convertText},
	{"databases.spec", databasesText},
	{"devices.spec", devicesText},
	{"editors.spec", editorsText},
	{"environment.spec", environmentText},
	{"files.spec", filesText},
	{"fileutils.spec", fileutilsText},
	{"git.spec", gitText},
	{"languages.spec", languagesText},
	{"media.spec", mediaText},
	{"network.spec", networkText},
	{"node.spec", nodeText},
	{"patterns.spec", patternsText},
	{"platforms.spec", platformsText},
	{"python.spec", pythonText},
	{"remote.spec", remoteText},
	{"search.spec", searchText},
	{"shellutils.spec", shellutilsText},
	{"system.spec", systemText},
	{"text.spec", textText},
	{"textutils.spec", textutilsText},
	{"toolchains.spec", toolchainsText},
	{"wrappers.spec", wrappersText},
	{"zsh.spec", zshText},
}
