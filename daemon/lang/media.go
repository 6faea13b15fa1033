package lang

import (
	"strings"

	"extdir/daemon/access"
)

// magickText are the coders whose operand is text or a color, which a file
// stands in for behind an @.
var magickText = words("label caption pango xc canvas gradient radial-gradient pattern plasma fractal hald tile null info logo rose granite wizard netscape stegano inline histogram mpr clipboard x")

// magickCommands are coders that run what their operand names.
var magickFiles = map[string]access.Kind{"ephemeral": access.Write, "msl": access.Execute, "mvg": access.Read, "svg": access.Read, "text": access.Read}

// readMagick reads an image operand of ImageMagick: [CODER:]NAME[selection], @LIST,
// label:@FILE.
func readMagick(w access.Word, h Host) {
	p := newSource(w)
	if strings.HasPrefix(p.s, "@") {
		h.File(p.text(1, len(p.s)), access.Read, "list of images")
		return
	}
	i := 0
	for i < len(p.s) && (wordByte(p.s[i]) || p.s[i] == '-') {
		i++
	}
	coder := ""
	if i > 1 && i < len(p.s) && p.s[i] == ':' {
		coder = strings.ToLower(p.s[:i])
		i++
	} else {
		i = 0
	}
	end := len(p.s)
	if j := strings.LastIndexByte(p.s, '['); j > i && strings.HasSuffix(p.s, "]") && j > strings.LastIndexByte(p.s, '/') {
		if j+1 < end && (p.s[j+1] >= '0' && p.s[j+1] <= '9' || p.s[j+1] == '-') {
			end = j
		}
	}
	switch {
	case coder == "http" || coder == "https" || coder == "ftp":
	case magickText[coder]:
		if i < end && p.s[i] == '@' {
			h.File(p.text(i+1, end), access.Read, "text of "+coder+": image")
		} else if coder == "tile" && i < end {
			h.File(p.text(i, end), access.Read, "image operand")
		} else if i < end {
			if _, ok := p.hole(i); ok {
				h.File(access.Unknowable(access.Any, w.Start, w.End), access.Read, "text of "+coder+": image")
			}
		}
	case end > i && p.s[i:end] != "-":
		kind, ok := magickFiles[coder]
		if !ok {
			kind = access.Read
		}
		if coder == "file" && strings.HasPrefix(p.s[i:], "///") {
			i += 2
		}
		if i < end && p.s[i] == '@' && coder != "" {
			i++
		}
		if strings.HasPrefix(p.s[i:end], "|") {
			h.Shell(p.text(i+1, end))
			return
		}
		h.File(p.text(i, end), kind, "image operand")
	}
}

// ffmpegFilters open files: by the options that name one, the first of which may
// stand without its name. w: it is written.
var ffmpegFilters = map[string][]string{
	"movie": {"filename"}, "amovie": {"filename"}, "subtitles": {"filename", "fontsdir"}, "ass": {"filename", "fontsdir"},
	"lut3d": {"file"}, "lut1d": {"file"}, "haldclutsrc": {"file"}, "drawtext": {"", "fontfile", "textfile"}, "sofalizer": {"sofa"}, "ladspa": {"file"},
	"frei0r": {""}, "removelogo": {"filename"}, "vidstabdetect": {"", "result"}, "vidstabtransform": {"input"}, "libvmaf": {"", "log_path", "model_path"},
	"metadata": {"", "file"}, "ametadata": {"", "file"}, "psnr": {"stats_file"}, "ssim": {"stats_file"}, "sendcmd": {"", "filename", "f"},
	"asendcmd": {"", "filename", "f"}, "arnndn": {"model"}, "dnn_processing": {"", "model"}, "derain": {"", "model"}, "sr": {"", "model"}, "nnedi": {"weights"},
	"lv2": {""}, "firequalizer": {""}, "afir": {""}, "cover_rect": {"cover"}, "find_rect": {"object"}, "signature": {"", "filename"}, "libplacebo": {"", "custom_shader_path", "shader_cache"},
	"program_opencl": {"source"}, "openclsrc": {"source"}, "curves": {"", "psfile", "plot"}, "colormap": {""}, "identity": {""}, "astats": {""},
	"abitscope": {""}, "zmq": {""}, "azmq": {""}, "whisper": {"model", "destination"}, "showcqt": {"", "fontfile", "axisfile"}, "mestimate": {""}, "pan": {""},
	"msad": {"stats_file"}, "xpsnr": {"stats_file"}, "vmafmotion": {"stats_file"}, "vif": {"stats_file"}, "bm3d": {""}, "replaygain": {""}, "asr": {"", "hmm", "dict", "lm"},
}

var ffmpegWrites = words("result log_path stats_file file plot destination shader_cache")

// readFfmpegFilter reads a filter graph of ffmpeg: filters separated by , and ;
// with [links], options by :, two levels of \ and ' quoting. A lavfi input is one
// as well.
func readFfmpegFilter(w access.Word, h Host) {
	p := newSource(w)
	for i := 0; i < len(p.s); {
		switch c := p.s[i]; {
		case c == '[':
			for i < len(p.s) && p.s[i] != ']' {
				i++
			}
			i++
			continue
		case c == ' ' || c == '\n' || c == '\t' || c == ',' || c == ';':
			i++
			continue
		case c == 0:
			if _, ok := p.hole(i); ok {
				h.Unknown("ffmpeg filter that is not in the line")
			}
			i++
			continue
		}
		a := i
		for i < len(p.s) && (wordByte(p.s[i]) || p.s[i] == '@') {
			i++
		}
		name, _, _ := strings.Cut(p.s[a:i], "@")
		if i == a {
			i++
			continue
		}
		if i >= len(p.s) || p.s[i] != '=' {
			continue
		}
		i++
		i = ffmpegOptions(p, h, name, i)
	}
}

func ffmpegOptions(p *source, h Host, filter string, i int) int {
	names, opens := ffmpegFilters[filter]
	for n := 0; ; n++ {
		b := builder{p: p}
		a := i
		quoted := false
		key := ""
	option:
		for i < len(p.s) {
			c := p.s[i]
			switch {
			case c == '\'':
				quoted = !quoted
				i++
				continue
			case quoted:
				b.copy(i)
				i++
				continue
			case c == '\\' && i+1 < len(p.s):
				for i < len(p.s) && p.s[i] == '\\' {
					i++
				}
				if i < len(p.s) {
					b.copy(i)
					i++
				}
				continue
			case c == ':' || c == ',' || c == ';' || c == '[':
				break option
			case c == '=' && key == "" && len(b.segs) == 0:
				key = string(b.buf)
				b.buf = nil
				i++
				continue
			}
			b.copy(i)
			i++
		}
		for !quoted && len(b.buf) > 0 && (b.buf[len(b.buf)-1] == ' ' || b.buf[len(b.buf)-1] == '\n') {
			b.buf = b.buf[:len(b.buf)-1]
		}
		b.span(a, i)
		v := b.word()
		if opens {
			file := key == "" && n == 0 && names[0] != ""
			option := names[0]
			for _, o := range names {
				if key != "" && key == o {
					file, option = true, key
				}
			}
			if filter == "metadata" || filter == "ametadata" {
				option = "file"
			}
			if file && !v.Empty() && v.String() != "-" {
				kind := access.Read
				if ffmpegWrites[option] && (option != "file" || strings.HasSuffix(filter, "metadata")) {
					kind = access.Write
				}
				if filter == "ladspa" {
					kind = access.Execute
				}
				h.File(v, kind, filter+" in ffmpeg filter")
			}
		}
		if i >= len(p.s) || p.s[i] != ':' {
			return i
		}
		i++
	}
}
